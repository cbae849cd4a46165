import { MultiSelect, type MultiSelectProps, type OptionsFilter, Select, type SelectProps } from '@mantine/core';
import { type FocusEvent, type FormEvent, type KeyboardEvent, useState } from 'react';
import { fitOptions } from './fit-options.ts';

/**
 * A select whose options are found by typing. Enter, Tab and leaving the field choose the highlighted option. If no option
 * fits, the value stays. The same holds for `SearchMultiSelect`.
 */
export function SearchSelect(props: SelectProps) {
  // Typing the name of the current value again keeps it.
  return <Select searchable allowDeselect={false} {...props} {...useTypedSearch()} />;
}

export function SearchMultiSelect(props: MultiSelectProps) {
  return <MultiSelect searchable {...props} {...useTypedSearch()} />;
}

/** Narrows by what the user typed, not by the text of the field, which may be the label of the current value. */
function useTypedSearch() {
  const [typed, setTyped] = useState('');
  const filter: OptionsFilter = ({ options }) => fitOptions(options, typed);
  return {
    filter,
    onInput: (event: FormEvent<HTMLInputElement>) => setTyped(event.currentTarget.value),
    onOptionSubmit: () => setTyped(''),
    onKeyDown: (event: KeyboardEvent) => {
      // Enter with a text that fits no option must not send the form with the old value.
      if (event.key === 'Enter' && typed !== '') event.preventDefault();
    },
    // Before the handler of Mantine, which drops the text and the highlight.
    onBlurCapture: (event: FocusEvent<HTMLInputElement>) => {
      if (typed.trim() !== '') chooseHighlighted(event.currentTarget);
      setTyped('');
    },
  };
}

/** Mantine's `autoSelectOnBlur` also chooses an option if nothing was typed, and a multi-select does not have it. */
function chooseHighlighted(input: HTMLInputElement): void {
  // Set while the list is open: Escape closes it, and then leaving the field chooses nothing.
  const list = document.getElementById(input.getAttribute('aria-controls') ?? '');
  const option = list?.querySelector<HTMLElement>('[data-combobox-selected]');
  // A click on an option that a multi-select holds would remove it.
  if (option?.getAttribute('aria-selected') !== 'true') option?.click();
}
