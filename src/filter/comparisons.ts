const trim = (text: string) => text.trim();

/** Every comparison of the listed values of a key, with the normal form of a listed value: equal values have equal forms. */
export const COMPARISONS = {
  /** Case-sensitive. */
  exact: trim,
  /** In any letter case. */
  fold: foldTrimmed,
  /** Logins in any letter case; the `@` in front of a listed one is optional. */
  login: (text) => foldTrimmed(text.trim().replace(/^@/, '')),
  /** Names of branches with or without `refs/heads/`. A listed `*`, `?` or `[` makes a glob. */
  branch: (text) => text.trim().replace(/^refs\/heads\//, ''),
  /** The listed value is a glob of paths from the root of a repository. */
  glob: trim,
  /** The received text contains the listed one, in any letter case. */
  text: foldTrimmed,
  /** Names of emoji, without colons and without the skin tone. */
  emoji: (text) => foldTrimmed(text.replace(/::skin-tone-.*$/s, '').replaceAll(':', '')),
  /** Integers. */
  number: trim,
} satisfies { [name: string]: (listed: string) => string };

export type Comparison = keyof typeof COMPARISONS;

function foldTrimmed(text: string): string {
  return foldCase(text.trim());
}

/** Unicode simple case folding: texts that differ only in case have the same result. */
export function foldCase(text: string): string {
  return Array.from(text, foldCodePoint).join('');
}

function foldCodePoint(char: string): string {
  const upper = char.toUpperCase();
  const folded = upper.length === char.length ? upper.toLowerCase() : char.toLowerCase();
  return folded.length === char.length ? folded : char;
}
