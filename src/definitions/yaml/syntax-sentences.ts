import type { YAMLError } from 'yaml';

/** What is wrong, as the rest of a sentence, and what to do. */
interface Sentence {
  message: string;
  hint: string;
}

const UNCLOSED_QUOTE = /^Missing closing (["'])quote/;
const INDENTATION = 'Check the indentation, the quotes and the brackets of this line and the line before.';
const QUOTE_TEXT = 'Put quotes around the text.';

/**
 * Sentences for the messages of the YAML library, which use the terms of the YAML specification. The first one whose
 * expression matches counts.
 */
const SENTENCES: readonly [found: RegExp, say: (found: RegExpExecArray) => Sentence][] = [
  [
    UNCLOSED_QUOTE,
    ([, quote]) => ({
      message: `the text that begins with ${quote} has no closing ${quote}`,
      hint: `Add ${quote} at the end of the text.`,
    }),
  ],
  [
    /flow (sequence|map)(?:ping)?\b.*end with a? ?([\]}])/i,
    ([, kind, close]) => ({
      message: `the ${kind === 'sequence' ? 'list' : 'map'} in brackets is not closed`,
      hint: `Add "${close}" at its end, or put quotes around a text that begins with a bracket.`,
    }),
  ],
  [
    /^Plain value cannot start with .*?(\S)$/,
    ([, first]) => ({ message: `a text without quotes cannot begin with ${JSON.stringify(first)}`, hint: QUOTE_TEXT }),
  ],
  [
    /^Nested mappings are not allowed|^A block sequence may not be used/,
    () => ({
      message: 'a value in this line contains ": " or "- " without quotes',
      hint: 'Put quotes around a value that contains ": ".',
    }),
  ],
  [
    /must start at the same column/,
    () => ({
      message: 'the indentation of this line differs from that of the lines before',
      hint: 'Indent all keys of a map, and all entries of a list, by the same number of spaces.',
    }),
  ],
  [
    /on a single line$/,
    () => ({
      message: 'the key has no ":" on its line',
      hint: 'Write the key and its ":" on one line. Put quotes around text that continues on the next line.',
    }),
  ],
  [
    /need to be followed by map values/,
    () => ({
      message: 'the key has no ":" and no value',
      hint: 'Write the key as "key: value", with a space after the colon.',
    }),
  ],
  [
    /at node end$/,
    () => ({
      message: 'text follows a value that is already complete',
      hint: 'Put quotes around the whole value, or remove the text.',
    }),
  ],
  [
    /block-seq-ind|Sequence item without/,
    () => ({
      message: 'the entry of a list ("- ") is in the wrong place',
      hint: 'Begin each entry of the list on a separate line, below the key.',
    }),
  ],
  [
    /^Missing , /,
    () => ({
      message: 'a comma between two entries in brackets is missing',
      hint: 'Add the comma, or put quotes around a text that contains brackets.',
    }),
  ],
  [
    /^Missing space after :/,
    () => ({ message: 'a space after ":" is missing', hint: 'Add the space, or put quotes around the text.' }),
  ],
  [/^Unexpected (?:,|empty item)/, () => ({ message: 'a comma has no entry before it', hint: 'Remove the comma.' })],
  [
    /^Invalid escape sequence (.{1,20})/s,
    ([, sequence]) => ({
      message: `${JSON.stringify(sequence)} is not an escape sequence`,
      hint: 'Write two backslashes for one, or use single quotes.',
    }),
  ],
  [
    /^Block scalar header/,
    () => ({ message: 'text follows "|" or ">" on the same line', hint: 'Begin the text on the next line.' }),
  ],
  [
    /stringKeys|NON_STRING_KEY/,
    () => ({
      message: 'a list, a map or an alias cannot be a key',
      hint: 'Put quotes around a text that begins with a bracket, for example a template.',
    }),
  ],
  [
    /^A block (?:collection|sequence|map)|BLOCK_IN_FLOW/,
    () => ({
      message: 'lines with keys or entries cannot be between brackets',
      hint: 'Write the whole collection in brackets, or without them.',
    }),
  ],
  [
    /^Comments must be separated/,
    () => ({
      message: '"#" begins a comment only after a space',
      hint: 'Add a space before "#", or put quotes around the text.',
    }),
  ],
  [/at most 1024/, () => ({ message: 'the key is longer than 1024 characters', hint: 'Use a shorter key.' })],
  [
    /\b(?:anchor|alias|tag)/i,
    () => ({ message: 'a text that begins with "&", "*" or "!" is an anchor, an alias or a tag', hint: QUOTE_TEXT }),
  ],
  [
    /directive|start indicator/i,
    () => ({
      message: 'a line that begins with "%" or "---" is not part of the values',
      hint: 'Remove the line, or put quotes around the text.',
    }),
  ],
];

/** Describes an error of the YAML library in words of its users. */
export function describeSyntaxError(error: YAMLError, text: string): Sentence {
  if (error.code === 'TAG_RESOLVE_FAILED') return describeTag(error, text);
  for (const [pattern, say] of SENTENCES) {
    const found = pattern.exec(error.message);
    if (found !== null) return say(found);
  }
  return { message: 'the text at this place does not fit the lines before', hint: INDENTATION };
}

function describeTag({ pos: [start, end] }: YAMLError, text: string): Sentence {
  const source = text.slice(start, Math.min(end, start + 60));
  const message = source.startsWith('!')
    ? `The value has the tag ${JSON.stringify(source)}, which is not supported`
    : 'The value does not fit its tag';
  return { message, hint: 'Remove the tag. Allowed are strings, numbers, booleans, null, lists and maps.' };
}

export function isUnclosedQuote({ message }: YAMLError): boolean {
  return UNCLOSED_QUOTE.test(message);
}

/** Offset of the quote that an error of `isUnclosedQuote` is about. The library reports the end of the text in quotes. */
export function findQuoteStart(text: string, { message, pos: [end] }: YAMLError): number {
  const quote = UNCLOSED_QUOTE.exec(message)![1]!;
  let at = text.lastIndexOf(quote, end - 1);
  while (at > 0 && isEscaped(text, at, quote)) at = text.lastIndexOf(quote, quote === "'" ? at - 2 : at - 1);
  return Math.max(at, 0);
}

/** In double quotes, a backslash escapes a quote. In single quotes, a quote before it does. */
function isEscaped(text: string, at: number, quote: string): boolean {
  if (quote === "'") return text[at - 1] === "'";
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}
