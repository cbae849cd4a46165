import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { RequestHeaders } from '../../../domain/deliveries/headers.ts';

/** Much more than a webhook accepts. A small body can hold a thousand times as much, which nobody has to see. */
export const MAX_UNCOMPRESSED_BYTES = 8 * 1024 * 1024;

type Decompress = (body: Uint8Array, options: { maxOutputLength: number }) => Buffer;

/** A content coding of HTTP. */
interface ContentCoding {
  /** The first bytes of each such body. Empty if they prove nothing: then the header decides. */
  magic: readonly number[];
  /** Tried in this order. */
  decompress: readonly Decompress[];
}

const CODINGS: Readonly<Record<string, ContentCoding>> = {
  gzip: { magic: [0x1f, 0x8b], decompress: [gunzipSync] },
  zstd: { magic: [0x28, 0xb5, 0x2f, 0xfd], decompress: [zstdDecompressSync] },
  br: { magic: [], decompress: [brotliDecompressSync] },
  // Some senders omit the zlib header that RFC 9110 demands.
  deflate: { magic: [], decompress: [inflateSync, inflateRawSync] },
};

/** A body without its compression. */
interface Decompressed {
  coding: string;
  /** `null` if it is larger than `MAX_UNCOMPRESSED_BYTES`. */
  body: Buffer | null;
}

/** The coding that the first bytes of a body show, or that its header declares. `null` if there is none. */
export function findCoding(headers: RequestHeaders, body: Uint8Array): string | null {
  const declared = (headers.get('content-encoding') ?? '').trim().toLowerCase();
  const isShown = ([name, { magic }]: [string, ContentCoding]) =>
    magic.length === 0 ? name === declared : magic.every((byte, index) => body[index] === byte);
  return Object.entries(CODINGS).find(isShown)?.[0] ?? null;
}

/** Undoes the compression of a body. `null` if it has none. */
export function decompress(headers: RequestHeaders, body: Uint8Array): Decompressed | null {
  const coding = findCoding(headers, body);
  if (coding === null) return null;
  for (const attempt of CODINGS[coding]!.decompress) {
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
