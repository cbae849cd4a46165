import { INLINE_CODE, NOT_PROSE, type Prose } from './extract-prose.ts';
import type { Entry, Exception } from './word-list.ts';

/** A phrase in a file that should be written in another way. */
export interface Finding {
  readonly offset: number;
  readonly phrase: string;
  readonly write: string;
}

/** Finds phrases in a text that belongs to `path`. */
export type FindWords = (text: string, path: string) => Finding[];

interface CompiledEntry {
  readonly write: string;
  readonly pattern: RegExp;
  readonly exceptions: readonly (Exception & { readonly pattern: RegExp })[];
}

/** How far around a phrase an exception may reach, in characters. */
const EXCEPTION_REACH = 100;
const LONGEST_SENTENCE = 30;

export function compileEntries(entries: readonly Entry[]): FindWords {
  const compiled = entries.map(compileEntry);
  const any = new RegExp(entries.flatMap(({ avoid }) => avoid.map(sourceOf)).join('|'), 'gi');
  return (text, path) =>
    [...text.matchAll(any)].flatMap(({ 0: phrase, index }) => {
      const entry = compiled.find(({ pattern }) => pattern.test(phrase));
      // Names of files and constants, such as NOTICE, are written in capitals.
      if (entry === undefined || /^[A-Z]{2,}$/.test(phrase) || isAllowed(entry, text, path, index, phrase)) return [];
      return [{ offset: index, phrase: phrase.replace(/\s+/g, ' '), write: entry.write }];
    });
}

function compileEntry({ avoid, write, except = [] }: Entry): CompiledEntry {
  return {
    write,
    pattern: new RegExp(`^(?:${avoid.map(sourceOf).join('|')})$`, 'i'),
    exceptions: except.map((exception) => ({ ...exception, pattern: new RegExp(sourceOf(exception.text), 'gi') })),
  };
}

function sourceOf(phrase: string): string {
  return `\\b(?:${phrase.replaceAll(' ', '\\s+')})\\b`;
}

function isAllowed(entry: CompiledEntry, text: string, path: string, index: number, phrase: string): boolean {
  const from = Math.max(0, index - EXCEPTION_REACH);
  const surroundings = text.slice(from, index + phrase.length + EXCEPTION_REACH);
  return entry.exceptions.some((exception) => {
    if (exception.in !== undefined && !isBelow(path, exception.in)) return false;
    return [...surroundings.matchAll(exception.pattern)].some(
      (match) => from + match.index <= index && from + match.index + match[0].length >= index + phrase.length,
    );
  });
}

/** Whether `path` is that file, or a file below that folder. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`);
}

/** Looks at the names that a file declares, word by word: `ticketOffice` and `TICKET_OFFICE` are `ticket office`. */
export function findInNames({ names }: Prose, path: string, find: FindWords): Finding[] {
  return names.flatMap(({ name, start }) =>
    find(splitName(name), path).map(({ phrase, write }) => ({
      offset: start,
      phrase: `${name} (${phrase})`,
      write,
    })),
  );
}

export function splitName(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[-_.]/g, ' ')
    .toLowerCase();
}

/** Sentences of more than 30 words. Inline code counts as one word. Tables, enumerations and shell are not checked. */
export function findLongSentences({ text }: Prose): Finding[] {
  return splitSentences(text).flatMap(([sentence, offset]) => {
    const words = sentence.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word) || word.includes(INLINE_CODE));
    const commas = sentence.split(',').length;
    const isTableOrList = sentence.trimStart().startsWith('|') || commas > words.length / 3;
    const isShell = / (?:\|\||&&|>) /.test(sentence);
    if (words.length <= LONGEST_SENTENCE || isTableOrList || isShell) return [];
    const start = sentence.trim().split(/\s+/).slice(0, 5).join(' ').replaceAll(INLINE_CODE, '');
    const write = `two sentences: at most ${LONGEST_SENTENCE} words, not ${words.length}`;
    return [{ offset: offset + sentence.search(/\S/), phrase: `${start} ...`, write }];
  });
}

/** Ends at a full stop, a colon, an empty line, and before an item of a list, a heading or a tag of a comment. */
const SENTENCE_END = new RegExp(
  `[${NOT_PROSE}]+|(?<=[.!?:;][)"*]*)\\s|\\n[ \\t]*(?=\\n|[-*+|#>@]|\\d+\\.\\s)|\\s(?=@\\w)`,
  'g',
);

function splitSentences(text: string): [sentence: string, offset: number][] {
  const sentences: [string, number][] = [];
  let start = 0;
  for (const { 0: end, index } of text.matchAll(SENTENCE_END)) {
    if (index > start) sentences.push([text.slice(start, index), start]);
    start = index + end.length;
  }
  sentences.push([text.slice(start), start]);
  return sentences;
}
