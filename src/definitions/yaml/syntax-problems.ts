import type { LineCounter, YAMLError } from 'yaml';
import type { YamlProblem } from './inspect-nodes.ts';
import { describeSyntaxError, findQuoteStart, isUnclosedQuote } from './syntax-sentences.ts';

/** A place in the text, as a position and as a path. */
export type Place = Pick<YamlProblem, 'at' | 'path'>;
export type FindPlace = (offset: number) => Place;

/** A text and the starts of its lines. */
export interface SourceText {
  text: string;
  lineCounter: LineCounter;
}

/**
 * Describes the errors of the YAML library. Errors that only follow from another one are omitted: those of a line that is
 * indented with a tab, of a value that begins with `*`, and those after a quote that is not closed.
 */
export function listSyntaxProblems(
  errors: readonly YAMLError[],
  source: SourceText,
  place: FindPlace,
): (() => YamlProblem)[] {
  const findTab = createLineFinder(source, findTabIn);
  const findStar = createLineFinder(source, findStarIn);
  const unclosed = errors.find(isUnclosedQuote);
  const unclosedAt = unclosed?.pos[0] ?? Number.POSITIVE_INFINITY;
  const described = new Set<number>();
  const problems: (() => YamlProblem)[] = [];
  const describeOnce = (offset: number, describe: () => YamlProblem) => {
    if (!described.has(offset)) problems.push(describe);
    described.add(offset);
  };
  for (const error of errors) {
    const [offset] = error.pos;
    const tab = error.code === 'TAB_AS_INDENT' ? offset : findTab(offset);
    const star = tab === null ? findStar(offset) : null;
    if (tab !== null) describeOnce(tab, () => describeTab(place(tab)));
    else if (star !== null && star <= offset) describeOnce(star, () => describeStar(place(star), source.text, star));
    else if (error === unclosed) {
      problems.push(() => describe(error, source.text, place(findQuoteStart(source.text, error))));
    } else if (offset < unclosedAt) problems.push(() => describe(error, source.text, place(offset)));
  }
  return problems;
}

function describe(error: YAMLError, text: string, place: Place): YamlProblem {
  const { message, hint } = describeSyntaxError(error, text);
  if (error.code === 'TAG_RESOLVE_FAILED') return { rule: 'yaml/custom-tag', ...place, message: `${message}.`, hint };
  return { rule: 'yaml/syntax', ...place, message: `The text is not valid YAML: ${message}.`, hint };
}

function describeTab(place: Place): YamlProblem {
  const message = 'The indentation contains a tab. YAML allows only spaces.';
  const hint = 'Replace tabs with spaces, two for each level. Most editors can convert the whole file.';
  return { rule: 'yaml/tab', ...place, message, hint };
}

const MAX_QUOTED = 80;

function describeStar(place: Place, text: string, offset: number): YamlProblem {
  const message = 'The text is not valid YAML: a value that begins with "*" is an alias, unless it is in quotes.';
  const value = readStarValue(text, offset);
  const isShort = value.length <= MAX_QUOTED && !/["\\]/.test(value);
  const hint = isShort ? `Quote the expression: "${value}".` : 'Put quotes around the value.';
  return { rule: 'yaml/syntax', ...place, message, hint };
}

/** Finds something in the line with an offset. Reads each line once, because a line can have thousands of errors. */
function createLineFinder(
  { text, lineCounter }: SourceText,
  findIn: (text: string, lineStart: number) => number | null,
): (offset: number) => number | null {
  const found = new Map<number, number | null>();
  return (offset) => {
    const start = lineCounter.lineStarts[lineCounter.linePos(offset).line - 1] ?? 0;
    if (!found.has(start)) found.set(start, findIn(text, start));
    return found.get(start)!;
  };
}

const TABBED_LINE = / *\t/y;

/** The first tab in the indentation. */
function findTabIn(text: string, lineStart: number): number | null {
  TABBED_LINE.lastIndex = lineStart;
  return TABBED_LINE.test(text) ? TABBED_LINE.lastIndex - 1 : null;
}

/** A `*` where a value begins: after a key, the dash of an entry, a bracket or a comma. */
const STAR = /(?:^|[:,[{-][ ]+|[[{])\*/g;
const ALIAS = /^\*[^\s*/,?]+$/;

/** A hostile line has 100,000 of them. */
const MAX_STARS = 20;

/** The first value of the line that begins with `*` and is no alias. */
function findStarIn(text: string, lineStart: number): number | null {
  const line = readLine(text, lineStart);
  let left = MAX_STARS;
  for (const match of line.matchAll(STAR)) {
    if (left-- === 0) return null;
    const offset = lineStart + match.index + match[0].length - 1;
    if (!ALIAS.test(readStarValue(text, offset))) return offset;
  }
  return null;
}

/** The value that begins at an offset, up to the end of the line, of its collection in brackets, or to a comment. */
function readStarValue(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset) + 1;
  const isInBrackets = /[[{]/.test(text.slice(lineStart, offset));
  return readLine(text, offset)
    .split(isInBrackets ? /, |[\]}]| #/ : / #/, 1)[0]!
    .trimEnd();
}

function readLine(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(offset, end === -1 ? text.length : end);
}
