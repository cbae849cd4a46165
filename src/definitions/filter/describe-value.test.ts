import { expect, test } from 'vitest';
import { quoteText, shortenText } from '../../domain/words/payload-filters.ts';
import { describeValue, summarizeValue } from './describe-value.ts';

test('a long text is cut with a mark and never inside a surrogate pair', () => {
  expect(shortenText('a'.repeat(201))).toBe(`${'a'.repeat(200)}… (201 characters)`);
  expect(shortenText('a'.repeat(200))).toBe('a'.repeat(200));
  expect(shortenText(`abc😀xyz`, 4)).toBe('abc… (8 characters)');
});

test('a quoted text stays on its line and keeps its direction', () => {
  expect(quoteText('a\n\u001b\u0085\u2028\u202e"')).toBe('"a\\n\\u001b\\u0085\\u2028\\u202e\\""');
});

test.each<[unknown, unknown, string]>([
  [undefined, null, 'absent'],
  [null, null, 'null'],
  [false, false, 'false'],
  [-0, -0, '0'],
  [1.5, 1.5, '1.5'],
  ['x', 'x', '"x"'],
  [[], 'empty array', 'an empty array'],
  [{}, 'empty object', 'an empty object'],
  [
    ['a', 1, null, {}, [], [1]],
    'array of 6 elements: "a", 1, null, {…}, [], …',
    'an array of 6 elements: "a", 1, null, {…}, [], …',
  ],
  [[[1]], 'array of 1 element: […]', 'an array of 1 element: […]'],
  [{ a: 1, 'b c': 2 }, 'object with 2 keys: "a", "b c"', 'an object with 2 keys: "a", "b c"'],
])('%j has a short form of one line', (value, summary, description) => {
  expect(summarizeValue(value)).toEqual(summary);
  expect(describeValue(value)).toBe(description);
});

test('a value deeper than any stack has a short form too', () => {
  const deep: unknown = JSON.parse('['.repeat(130_000) + ']'.repeat(130_000));
  expect(summarizeValue(deep)).toBe('array of 1 element: […]');
});
