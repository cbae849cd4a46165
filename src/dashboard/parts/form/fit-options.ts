import { type ComboboxItem, type ComboboxParsedItem, defaultOptionsFilter, isOptionsGroup } from '@mantine/core';

/**
 * The options whose labels contain the typed text, in any case. An exact match is first, because Enter and Tab select the
 * first option.
 */
export function fitOptions(options: ComboboxParsedItem[], typed: string): ComboboxParsedItem[] {
  const fitting = defaultOptionsFilter({ options, search: typed, limit: Number.POSITIVE_INFINITY });
  const label = typed.trim().toLowerCase();
  const isExact = (option: ComboboxItem) => option.label.toLowerCase() === label;
  return putFirst(fitting as ComboboxParsedItem[], (option) =>
    isOptionsGroup(option) ? option.items.some(isExact) : isExact(option),
  ).map((option) => (isOptionsGroup(option) ? { ...option, items: putFirst(option.items, isExact) } : option));
}

function putFirst<T>(options: readonly T[], isFirst: (option: T) => boolean): T[] {
  return options.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
}
