import type { Comparison } from '../../triggers/trigger-event.ts';
import { COMPARISONS, foldCase } from './comparisons.ts';
import { compileGlob } from './match-glob.ts';
import type { Value } from './read-source.ts';

/** What equal values have in common, for comparisons that have such a form. */
export type Form = Value;

/** Whether a value of a payload equals one of the listed ones. */
interface Matcher {
  matches(value: Value): boolean;
  /** The forms of the listed values, if a value equals one of them exactly if it has its form. Otherwise `null`. */
  forms: ReadonlySet<Form> | null;
  /** The form of a value of a payload. */
  toForm(value: Value): Form;
}

/** @param listed as written */
export function compileMatcher(compare: Comparison, listed: readonly string[]): Matcher {
  const normal = listed.map(COMPARISONS[compare]);
  if (compare === 'number') return matchForms(new Set(normal.map(Number)), (value) => value);
  const toForm = TO_FORM[compare];
  if (toForm !== undefined) return matchForms(new Set(normal), ofTexts(toForm));
  if (compare === 'branch') return matchBranch(normal);
  return matchTexts(compare === 'glob' ? matchAny(normal.map(compileGlob)) : matchParts(normal));
}

/** The forms of texts of a payload, for comparisons of whole texts. */
const TO_FORM: { readonly [name in Comparison]?: (text: string) => string } = {
  exact: (text) => text,
  fold: foldCase,
  // In a payload, `@` is no part of a login.
  login: foldCase,
  emoji: COMPARISONS.emoji,
};

function matchForms(forms: ReadonlySet<Form>, toForm: (value: Value) => Form): Matcher {
  return { matches: (value) => forms.has(toForm(value)), forms, toForm };
}

/** Some providers have numbers as IDs. They are listed as texts. */
function ofTexts(toForm: (text: string) => string): Matcher['toForm'] {
  return (value) => toForm(String(value));
}

function matchTexts(matches: (text: string) => boolean): Matcher {
  return { matches: (value) => typeof value === 'string' && matches(value), forms: null, toForm: (value) => value };
}

function matchAny(matchers: readonly ((text: string) => boolean)[]): (text: string) => boolean {
  return (text) => matchers.some((matches) => matches(text));
}

function matchParts(normal: readonly string[]): (text: string) => boolean {
  return (text) => {
    const folded = foldCase(text);
    return normal.some((part) => folded.includes(part));
  };
}

/** No name of a branch has these characters. */
const GLOB = /[*?[]/;

function matchBranch(normal: readonly string[]): Matcher {
  const globs = normal.filter((name) => GLOB.test(name));
  if (globs.length === 0) return matchForms(new Set(normal), ofTexts(COMPARISONS.branch));
  const names = new Set(normal);
  const matchesGlob = matchAny(globs.map(compileGlob));
  return matchTexts((text) => {
    const name = COMPARISONS.branch(text);
    return names.has(name) || matchesGlob(name);
  });
}
