import { isJsonObject, type Json } from '../../domain/json.ts';
import { quoteText, shortenText } from '../../domain/words/payload-filters.ts';
import { countOf } from '../../domain/words/quantities.ts';

const MAX_ELEMENT_TEXT_LENGTH = 40;
const MAX_ELEMENTS_SHOWN = 5;

/**
 * A short form of any payload value for traces: scalars unchanged, long strings cut, objects and arrays as one line of text,
 * absent (`undefined`) as `null`. Reads only one level, because payloads can be deeper than the stack.
 */
export function summarizeValue(value: unknown): Json {
  if (typeof value === 'string') return shortenText(value);
  if (Array.isArray(value)) return summarizeArray(value);
  if (isJsonObject(value)) return summarizeObject(value);
  return value === undefined ? null : (value as Json);
}

/** The value as part of a sentence: `"text"`, `7`, `an array of 2 elements: "a", "b"`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return `an ${summarizeArray(value)}`;
  if (isJsonObject(value)) return `an ${summarizeObject(value)}`;
  return typeof value === 'string' ? quoteText(shortenText(value)) : String(value);
}

function summarizeArray(array: readonly unknown[]): string {
  const shown = array.slice(0, MAX_ELEMENTS_SHOWN).map(describeElement);
  return array.length === 0
    ? 'empty array'
    : `array of ${countOf(array.length, 'element')}: ${listShown(shown, array)}`;
}

function summarizeObject(object: object): string {
  const keys = Object.keys(object);
  const shown = keys.slice(0, MAX_ELEMENTS_SHOWN).map(describeElement);
  return keys.length === 0 ? 'empty object' : `object with ${countOf(keys.length, 'key')}: ${listShown(shown, keys)}`;
}

function listShown(shown: readonly string[], all: readonly unknown[]): string {
  return shown.length < all.length ? `${shown.join(', ')}, …` : shown.join(', ');
}

function describeElement(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[…]';
  if (typeof value === 'object' && value !== null) return '{…}';
  return typeof value === 'string' ? quoteText(shortenText(value, MAX_ELEMENT_TEXT_LENGTH)) : String(value);
}
