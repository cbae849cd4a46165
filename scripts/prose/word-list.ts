import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Where a phrase may be used all the same. */
export interface Exception {
  /** A regular expression. A space matches any white space. It has to cover the phrase. */
  readonly text: string;
  /** The only file or folder in which the exception applies. */
  readonly in?: string;
  readonly because: string;
}

/** Phrases to avoid and what to write instead. */
export interface Entry {
  /** Regular expressions over whole words, in any case. A space matches any white space. */
  readonly avoid: readonly string[];
  readonly write: string;
  readonly except?: readonly Exception[];
}

export interface WordList {
  /** Files and folders that `npm run lint` does not check yet. */
  readonly pending: readonly string[];
  /** Files and folders that are never checked: generated from checked texts, or not ours. */
  readonly excluded: readonly string[];
  /** For texts. */
  readonly words: readonly Entry[];
  /** For identifiers and names of files, which are split into words first. */
  readonly names: readonly Entry[];
}

/** The list of the repository. */
const WORD_LIST_PATH = 'scripts/prose/words.yaml';

export function readWordList(path: string = WORD_LIST_PATH): WordList {
  return { excluded: [], pending: [], ...parse(readFileSync(path, 'utf8')) };
}
