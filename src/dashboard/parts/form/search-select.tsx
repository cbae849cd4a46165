import { MultiSelect, type MultiSelectProps, type OptionsFilter, Select, type SelectProps } from '@mantine/core';
import { type FocusEvent, type FormEvent, type KeyboardEvent, useState } from 'react';
import { fitOptions } from './fit-options.ts';

/**
 * A select that users search by typing. Enter, Tab and leaving the field select the highlighted option. If no option
 * matches, the value stays. The same applies to `SearchMultiSelect`.
 */
export function SearchSelect(props: SelectProps) {
  // Typing the name of the current value again keeps it.
  return <Select searchable allowDeselect={false} {...props} {...useTypedSearch()} />;
}

export function SearchMultiSelect(props: MultiSelectProps) {
  return <MultiSelect searchable {...props} {...useTypedSearch()} />;
}

/** Filters by the typed text, not by the text of the field, which may be the label of the current value. */
function useTypedSearch() {
  const [typed, setTyped] = useState('');
  const filter: OptionsFilter = ({ options }) => fitOptions(options, typed);
  return {
    filter,
    onInput: (event: FormEvent<HTMLInputElement>) => setTyped(event.currentTarget.value),
    onOptionSubmit: () => setTyped(''),
    // Runs instead of Mantine's handler: after fast typing, that looks for the highlighted option at its earlier position.
    onKeyDownCapture: (event: KeyboardEvent<HTMLInputElement>) => {
      if (event.key !== 'Enter' || typed === '' || event.nativeEvent.isComposing) return;
      // Enter without a matching option must not submit the form with the old value.
      event.preventDefault();
      event.stopPropagation();
      const list = findList(event.currentTarget);
      chooseOption(list?.querySelector(HIGHLIGHTED) ?? list?.querySelector('[data-combobox-option]'));
    },
    // Runs before Mantine's handler, which clears the text and the highlight.
    onBlurCapture: (event: FocusEvent<HTMLInputElement>) => {
      if (typed.trim() !== '') chooseHighlighted(event.currentTarget);
      setTyped('');
    },
  };
}

/** Mantine's `autoSelectOnBlur` also chooses an option if nothing was typed, and a multi-select does not have it. */
function chooseHighlighted(input: HTMLInputElement): void {
  chooseOption(findList(input)?.querySelector(HIGHLIGHTED));
}

const HIGHLIGHTED = '[data-combobox-selected]';

/** The open list of options. After Escape there is none, so leaving the field selects nothing. */
function findList(input: HTMLInputElement): HTMLElement | null {
  return document.getElementById(input.getAttribute('aria-controls') ?? '');
}

/** In a multi-select, a click on a selected option would remove it. */
function chooseOption(option: Element | null | undefined): void {
  if (option instanceof HTMLElement && option.getAttribute('aria-selected') !== 'true') option.click();
}
