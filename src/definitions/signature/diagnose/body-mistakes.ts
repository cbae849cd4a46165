import type { Json } from '../../../domain/json.ts';
import { formatSize } from '../../../domain/words/quantities.ts';
import { decompress, MAX_UNCOMPRESSED_BYTES } from './decompress.ts';
import type { DiagnosedRequest, Mistake, SchemeVariant } from './mistake.ts';

/** Changes of the body after the sender signed it. */
export const BODY_MISTAKES: readonly Mistake[] = [
  { id: 'body_compressed', tried: 'the body without its compression', vary: varyCompression },
  { id: 'body_newline', tried: 'a line break added to or removed from the end of the body', vary: varyNewline },
  { id: 'body_line_endings', tried: 'the other line endings in the body', vary: varyLineEndings },
  { id: 'body_reserialised', tried: 'the JSON of the body serialized in other usual ways', vary: varyJson },
];

function* varyCompression(request: DiagnosedRequest): Iterable<SchemeVariant> {
  if (!signsBody(request)) return;
  const found = decompress(request.headers, request.body);
  if (found === null || found.body === null) return;
  const sentence = `The body is compressed with ${found.coding}, and the signature fits the uncompressed text: switch compression off at the sender or the proxy.`;
  yield { body: found.body, sentence };
}

/** Why the text of a compressed body could not be tried; `null` if it could, or if the body is not compressed. */
export function describeTooLargeText(request: DiagnosedRequest): string | null {
  if (!signsBody(request)) return null;
  const found = decompress(request.headers, request.body);
  if (found === null || found.body !== null) return null;
  return `The body is compressed with ${found.coding}, and larger than ${formatSize(MAX_UNCOMPRESSED_BYTES)} when uncompressed, so the signature was not checked against the uncompressed text: switch compression off at the sender or the proxy, and send a small body.`;
}

function* varyNewline(request: DiagnosedRequest): Iterable<SchemeVariant> {
  if (!signsBody(request)) return;
  const body = Buffer.from(request.body);
  const added =
    'The signed body ended with a line break that did not arrive: make the sender sign exactly the bytes that it sends (`--data-binary` keeps line breaks, `--data` removes them).';
  for (const end of ['\n', '\r\n']) yield { body: Buffer.concat([body, Buffer.from(end)]), sentence: added };
  const bare = body.subarray(0, lengthWithoutLineBreaks(body));
  const removed =
    'The body arrived with a line break at its end that was not signed: make the sender sign exactly the bytes that it sends.';
  if (bare.length < body.length) yield { body: bare, sentence: removed };
}

/** A loop, because a regular expression takes quadratic time on a body of line breaks. */
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
    'The line endings of the body were changed in transit: make the sender sign and send the same bytes, and check that no proxy changes the body.';
  for (const other of [unix, unix.replaceAll('\n', '\r\n')]) yield { body: Buffer.from(other, 'latin1'), sentence };
}

function* varyJson(request: DiagnosedRequest): Iterable<SchemeVariant> {
  if (!signsBody(request)) return;
  const value = parse(request.body);
  if (value === undefined) return;
  const sentence =
    'The JSON of the body was serialized again after it was signed (other spaces, order or escapes): make the sender sign exactly the bytes that it sends, and check that no proxy parses and serializes the body.';
  for (const text of printEach(value)) yield { body: Buffer.from(text), sentence };
}

function parse(body: Uint8Array): Json | undefined {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as Json;
  } catch {
    return undefined;
  }
}

/** Empty if the JSON is nested deeper than the stack: no library of a sender serializes it. */
function printEach(value: Json): Iterable<string> {
  try {
    return new Set(printAll(value));
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** The ways in which common libraries serialize JSON: compact, with spaces, indented, with escapes, with sorted keys. */
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

/** Like Python's `json.dumps` by default. */
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

/** A token does not cover the body, so a changed body cannot cause the rejection. */
function signsBody({ scheme }: DiagnosedRequest): boolean {
  return scheme.family !== 'token';
}
