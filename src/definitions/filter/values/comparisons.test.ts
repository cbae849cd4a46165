import { expect, it } from 'vitest';
import { COMPARISONS, foldCase } from './comparisons.ts';

it.each([
  ['exact', ' Bug ', 'Bug'],
  ['fold', ' Bug ', 'bug'],
  ['login', '@Octo-Cat', 'octo-cat'],
  ['branch', 'refs/heads/Main', 'Main'],
  ['branch', 'refs/tags/v1', 'refs/tags/v1'],
  ['glob', ' api/** ', 'api/**'],
  ['text', ' Deploy Now', 'deploy now'],
  ['emoji', ':Wave::skin-tone-2:', 'wave'],
  ['emoji', ':+1:', '+1'],
] as const)('%s: %j has the normal form %j', (comparison, listed, normal) => {
  expect(COMPARISONS[comparison](listed)).toBe(normal);
});

it.each([
  ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
  ['\u212a', 'k'],
  ['ſ', 'S'],
  ['ẞ', 'ß'],
  ['\u{10400}', '\u{10428}'],
])('%s and %s differ only in case', (one, other) => {
  expect(foldCase(one)).toBe(foldCase(other));
});

it('keeps the length of each text, and letters that differ in more than case', () => {
  expect(foldCase('İ')).toHaveLength(1);
  expect(foldCase('ß')).not.toBe(foldCase('ss'));
});
