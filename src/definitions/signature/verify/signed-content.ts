import { readPath } from '../../../domain/json.ts';
import type { ContentPart } from '../scheme.ts';
import { reject, type SignatureRejection, type SignedRequest } from '../verification.ts';
import { readFormField, toWireText } from './request-parts.ts';

/** The values of a request for the parts of a scheme's signed content; texts in the form of header values. */
export interface ContentValues {
  /** As received; `''` if the content has no such part. */
  timestamp: string;
  /** As received; `''` if the content has no such part. */
  identity: string;
  body: Uint8Array;
  /** The parts that few schemes sign, in the order of the content. */
  rare: readonly string[];
}

type RarePart = Extract<ContentPart, { part: 'url' | 'header' | 'json' | 'form_field' }> | { part: 'method' };

const NONE: { ok: true; texts: readonly string[] } = { ok: true, texts: [] };

/** Reads the parts of the content that few schemes sign: method, URL, other headers, values of the body. */
export function readRareParts(
  content: readonly ContentPart[],
  request: SignedRequest,
): { ok: true; texts: readonly string[] } | SignatureRejection {
  if (!content.some(isRare)) return NONE;
  const texts: string[] = [];
  for (const part of content) {
    if (!isRare(part)) continue;
    const text = readRarePart(part, request);
    if (text === undefined) return describeMissing(part);
    texts.push(text);
  }
  return { ok: true, texts };
}

function isRare(part: ContentPart): part is RarePart {
  return part.part !== 'text' && part.part !== 'body' && part.part !== 'timestamp' && part.part !== 'identity';
}

function readRarePart(part: RarePart, request: SignedRequest): string | undefined {
  if (part.part === 'method') return request.method;
  if (part.part === 'url') return toWireText(decodeEscapes(request.publicUrl(), part.decodes));
  if (part.part === 'header') return request.headers.get(part.name);
  if (part.part === 'form_field') return readFormField(request.body, part.name);
  const value = readPath(request.json([part.path]), part.path);
  return typeof value === 'string' ? toWireText(value) : undefined;
}

function decodeEscapes(url: string, escapes: readonly string[]): string {
  if (escapes.length === 0) return url;
  return url.replace(/%[0-9a-f]{2}/gi, (found) =>
    escapes.includes(found.toUpperCase()) ? decodeURIComponent(found) : found,
  );
}

function describeMissing(part: RarePart): SignatureRejection {
  if (part.part === 'header') return reject('missing_header', part.name);
  if (part.part === 'json') return reject('missing_field', part.path.join('.'));
  return reject('missing_field', part.part === 'form_field' ? part.name : null);
}

/**
 * Passes the signed content to `feed` in pieces, so that the body is never copied. Texts come from headers, in which every
 * received byte is one character: they are converted back to bytes as Latin-1.
 */
export function feedContent(
  content: readonly ContentPart[],
  values: ContentValues,
  feed: (bytes: Uint8Array | string, encoding: 'latin1') => void,
): void {
  let text = '';
  let rare = 0;
  for (const part of content) {
    if (part.part === 'text') text += part.text;
    else if (part.part === 'timestamp' || part.part === 'identity') text += values[part.part];
    else if (part.part !== 'body') text += values.rare[rare++];
    else {
      if (text !== '') feed(text, 'latin1');
      text = '';
      feed(values.body, 'latin1');
    }
  }
  if (text !== '') feed(text, 'latin1');
}

/** The signed content as one buffer, for algorithms that do not accept pieces. */
export function joinContent(content: readonly ContentPart[], values: ContentValues): Buffer {
  const pieces: Uint8Array[] = [];
  feedContent(content, values, (piece) =>
    pieces.push(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece),
  );
  return Buffer.concat(pieces);
}
