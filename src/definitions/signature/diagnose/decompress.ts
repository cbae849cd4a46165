import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { RequestHeaders } from '../../../domain/headers.ts';

/** Much more than a webhook accepts. A small body can hold a thousand times as much, which nobody has to see. */
export const MAX_UNCOMPRESSED_BYTES = 8 * 1024 * 1024;

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
interface Decompressed {
  coding: string;
  /** `null` if it is larger than `MAX_UNCOMPRESSED_BYTES`. */
  body: Buffer | null;
}

/** Undoes the compression that the header declares, or gzip, which its first bytes show. `null` if there is none. */
export function decompress(headers: RequestHeaders, body: Uint8Array): Decompressed | null {
  const declared = (headers.get('content-encoding') ?? '').toLowerCase();
  const coding = GZIP_MAGIC.every((byte, index) => body[index] === byte) ? 'gzip' : declared;
  if (!Object.hasOwn(CODINGS, coding)) return null;
  for (const attempt of CODINGS[coding]!) {
    try {
      return { coding, body: attempt(body, { maxOutputLength: MAX_UNCOMPRESSED_BYTES }) };
    } catch (error) {
      if (isTooLarge(error)) return { coding, body: null };
      // Not this coding, or damaged: the body as it arrived counts.
    }
  }
  return null;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
