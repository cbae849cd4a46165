import type { Json } from '../../core/json.ts';
import type { DiagnosedRequest, Mistake, SchemeVariant } from './mistake.ts';

/** What happens to a body between the sender's signature and us. */
export const BODY_MISTAKES: readonly Mistake[] = [
  { id: 'body_newline', tried: 'a line break at the end of the body, more or less', vary: varyNewline },
  { id: 'body_line_endings', tried: 'the other line endings in the body', vary: varyLineEndings },
  { id: 'body_reserialised', tried: 'the JSON of the body printed in other usual ways', vary: varyJson },
];

function* varyNewline(request: DiagnosedRequest): Iterable<SchemeVariant> {
  if (!signsBody(request)) return;
  const body = Buffer.from(request.body);
  const added =
    'The signed body ended in a line break that did not arrive: let the sender sign exactly the bytes that it sends (`--data-binary` keeps them, `--data` drops line breaks).';
  for (const end of ['\n', '\r\n']) yield { body: Buffer.concat([body, Buffer.from(end)]), sentence: added };
  const bare = body.subarray(0, lengthWithoutLineBreaks(body));
  const removed =
    'The body arrived with a line break at its end that was not signed: let the sender sign exactly the bytes that it sends.';
  if (bare.length < body.length) yield { body: bare, sentence: removed };
}

/** A loop, since a regular expression takes quadratic time on a stranger's body of line breaks. */
function lengthWithoutLineBreaks(body: Uint8Array): number {
  let length = body.length;
  while (length > 0 && (body[length - 1] === 0x0a || body[length - 1] === 0x0d)) length--;
  return length;
}

function* varyLineEndings(request: DiagnosedRequest): Iterable<SchemeVariant> {
  const text = Buffer.from(request.body).toString('latin1');
  if (!signsBody(request) || !text.includes('\n')) return;
  const unix = text.replaceAll('\r\n', '\n');
  const sentence =
    'The line endings of the body were changed on the way: let the sender sign and send the same bytes, and let no proxy touch the body.';
  for (const other of [unix, unix.replaceAll('\n', '\r\n')]) yield { body: Buffer.from(other, 'latin1'), sentence };
}

function* varyJson(request: DiagnosedRequest): Iterable<SchemeVariant> {
  if (!signsBody(request)) return;
  const value = parse(request.body);
  if (value === undefined) return;
  const sentence =
    'The JSON of the body was printed anew after it was signed (other blanks, order or escapes): let the sender sign exactly the bytes that it sends, and let no proxy parse and print the body.';
  for (const text of printEach(value)) yield { body: Buffer.from(text), sentence };
}

function parse(body: Uint8Array): Json | undefined {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as Json;
  } catch {
    return undefined;
  }
}

/** Nothing where the JSON is nested deeper than the stack: no sender's library prints it. */
function printEach(value: Json): Iterable<string> {
  try {
    return new Set(printAll(value));
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** The ways in which common libraries print JSON: compact, with blanks, indented, with escapes, with sorted keys. */
function* printAll(value: Json): Iterable<string> {
  for (const one of [value, sortKeys(value)]) {
    for (const text of [JSON.stringify(one), printSpaced(one)]) {
      yield text;
      yield escapeAscii(text);
      yield text.replaceAll('/', '\\/');
      yield escapeAscii(text.replaceAll('/', '\\/'));
    }
    for (const indent of [2, 4, '\t']) yield JSON.stringify(one, null, indent);
  }
}

/** As Python's `json.dumps` does by default. */
function printSpaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(printSpaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, child]) => `${JSON.stringify(key)}: ${printSpaced(child)}`);
  return `{${entries.join(', ')}}`;
}

function escapeAscii(text: string): string {
  return text.replace(/[\x7f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key]!)]));
}

/** A shared value proves nothing about a body, so no change of it can be why one was refused. */
function signsBody({ scheme }: DiagnosedRequest): boolean {
  return scheme.family !== 'token';
}
