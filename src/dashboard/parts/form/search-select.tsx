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
    onKeyDown: (event: KeyboardEvent) => {
      // Enter without a matching option must not submit the form with the old value.
      if (event.key === 'Enter' && typed !== '') event.preventDefault();
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
  // The attribute is set while the list is open. After Escape, leaving the field selects nothing.
  const list = document.getElementById(input.getAttribute('aria-controls') ?? '');
  const option = list?.querySelector<HTMLElement>('[data-combobox-selected]');
  // In a multi-select, a click on a selected option would remove it.
  if (option?.getAttribute('aria-selected') !== 'true') option?.click();
}
