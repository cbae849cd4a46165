import type { Comparison } from '../../triggers/trigger-event.ts';
import { COMPARISONS, foldCase } from './comparisons.ts';
import { compileGlob } from './match-glob.ts';
import type { Value } from './read-source.ts';

type Matcher = (text: string) => boolean;

/**
 * Whether a value of a payload equals one of the listed ones.
 *
 * @param listed as written
 */
export function compileMatcher(compare: Comparison, listed: readonly string[]): (value: Value) => boolean {
  const normal = listed.map(COMPARISONS[compare]);
  if (compare === 'number') {
    const numbers = new Set(normal.map(Number));
    return (value) => typeof value === 'number' && numbers.has(value);
  }
  const matches = MATCHERS[compare](normal);
  return (value) => typeof value === 'string' && matches(value);
}

/** For texts of a payload, from the normal forms of the listed values. */
const MATCHERS: { readonly [name in Exclude<Comparison, 'number'>]: (normal: readonly string[]) => Matcher } = {
  exact: (normal) => matchForm(normal, (text) => text),
  fold: (normal) => matchForm(normal, foldCase),
  // In a payload, `@` is no part of a login.
  login: (normal) => matchForm(normal, foldCase),
  emoji: (normal) => matchForm(normal, COMPARISONS.emoji),
  branch: matchBranch,
  glob: (normal) => matchAny(normal.map(compileGlob)),
  text: (normal) => (text) => {
    const folded = foldCase(text);
    return normal.some((part) => folded.includes(part));
  },
};

function matchForm(normal: readonly string[], toForm: (text: string) => string): Matcher {
  const forms = new Set(normal);
  return (text) => forms.has(toForm(text));
}

function matchAny(matchers: readonly Matcher[]): Matcher {
  return (text) => matchers.some((matches) => matches(text));
}

/** No name of a branch has these characters. */
const GLOB = /[*?[]/;

function matchBranch(normal: readonly string[]): Matcher {
  const names = new Set(normal.filter((name) => !GLOB.test(name)));
  const globs = matchAny(normal.filter((name) => GLOB.test(name)).map(compileGlob));
  return (text) => {
    const name = COMPARISONS.branch(text);
    return names.has(name) || globs(name);
  };
}
