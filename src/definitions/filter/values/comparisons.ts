import type { Comparison } from '../../triggers/trigger-event.ts';

const trim = (text: string) => text.trim();

/** The normal form of a listed value for each comparison: equal values have equal forms. */
export const COMPARISONS = {
  exact: trim,
  fold: foldTrimmed,
  login: (text) => foldTrimmed(text.trim().replace(/^@/, '')),
  branch: (text) => text.trim().replace(/^refs\/heads\//, ''),
  glob: trim,
  text: foldTrimmed,
  emoji: (text) => foldTrimmed(text.replace(/::skin-tone-.*$/s, '').replaceAll(':', '')),
  number: trim,
} satisfies { [name in Comparison]: (listed: string) => string };

function foldTrimmed(text: string): string {
  return foldCase(text.trim());
}

/** Most names. Lower case is their folded form, and much faster. */
const PRINTABLE_ASCII = /^[ -~]*$/;

/** Unicode simple case folding: texts that differ only in case have the same result. */
export function foldCase(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.toLowerCase();
  return Array.from(text, foldCodePoint).join('');
}

function foldCodePoint(char: string): string {
  const upper = char.toUpperCase();
  const folded = upper.length === char.length ? upper.toLowerCase() : char.toLowerCase();
  return folded.length === char.length ? folded : char;
}
