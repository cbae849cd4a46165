import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { RequestHeaders } from '../../core/headers.ts';

/** Much more than a webhook accepts. A small body can hold a thousand times as much, which nobody has to see. */
const MAX_BYTES = 8 * 1024 * 1024;

type Decompress = (body: Uint8Array, options: { maxOutputLength: number }) => Buffer;

const CODINGS: Readonly<Record<string, readonly Decompress[]>> = {
  gzip: [gunzipSync],
  'x-gzip': [gunzipSync],
  br: [brotliDecompressSync],
  // Some senders omit the zlib header that RFC 9110 demands.
  deflate: [inflateSync, inflateRawSync],
};

const GZIP_MAGIC = [0x1f, 0x8b];

/** A body without its compression. */
export interface Decompressed {
  coding: string;
  body: Buffer;
}

/** Undoes the compression that the header declares, or gzip, which its first bytes show. `null` if there is none. */
export function decompress(headers: RequestHeaders, body: Uint8Array): Decompressed | null {
  const declared = (headers.get('content-encoding') ?? '').toLowerCase();
  const coding = GZIP_MAGIC.every((byte, index) => body[index] === byte) ? 'gzip' : declared;
  if (!Object.hasOwn(CODINGS, coding)) return null;
  for (const attempt of CODINGS[coding]!) {
    try {
      return { coding, body: attempt(body, { maxOutputLength: MAX_BYTES }) };
    } catch {
      // Not this coding, damaged, or too large: the body as it arrived counts.
    }
  }
  return null;
}
