import type { Readable } from 'node:stream';
import type { BodyRead } from './handle-delivery.ts';

/** Bytes of bodies that all connections together may hold (threat model N1). */
const MAX_BYTES_IN_FLIGHT = 128 * 1024 * 1024;

/** Counts what is held from the first byte read until the delivery is answered. */
export class BytesInFlight {
  #held = 0;

  take(bytes: number): boolean {
    if (this.#held + bytes > MAX_BYTES_IN_FLIGHT) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}

/**
 * Reads a body into a buffer of its own, which can be handed to another thread without a copy. Stops at the first
 * byte over the limit, whether the length was announced or not.
 *
 * @param announcedBytes value of `Content-Length`; `null` for a chunked body
 */
export function readBody(
  stream: Readable,
  announcedBytes: number | null,
  maxBytes: number,
  inFlight: BytesInFlight,
): Promise<BodyRead & { held: number }> {
  if (announcedBytes !== null && announcedBytes > maxBytes) {
    return Promise.resolve({ ok: false, reason: 'too_large', bytes: announcedBytes, held: 0 });
  }
  const held = announcedBytes ?? maxBytes;
  if (!inFlight.take(held)) return Promise.resolve({ ok: false, reason: 'overloaded', held: 0 });
  const read = announcedBytes === null ? readChunked(stream, maxBytes) : readAnnounced(stream, announcedBytes);
  return read.then((result) => ({ ...result, held }));
}

/** The parser of HTTP ends the stream after exactly the announced bytes, or breaks it off. */
function readAnnounced(stream: Readable, announcedBytes: number): Promise<BodyRead> {
  const body = Buffer.allocUnsafeSlow(announcedBytes) as Buffer<ArrayBuffer>;
  let filled = 0;
  return collect(stream, (chunk) => {
    filled += chunk.copy(body, filled);
    return null;
  }).then((stopped) => stopped ?? (filled === announcedBytes ? { ok: true, body } : { ok: false, reason: 'aborted' }));
}

function readChunked(stream: Readable, maxBytes: number): Promise<BodyRead> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return collect(stream, (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes) return { ok: false, reason: 'too_large', bytes };
    chunks.push(chunk);
    return null;
  }).then((stopped) => stopped ?? { ok: true, body: join(chunks, bytes) });
}

function join(chunks: readonly Buffer[], bytes: number): Buffer<ArrayBuffer> {
  const body = Buffer.allocUnsafeSlow(bytes) as Buffer<ArrayBuffer>;
  let filled = 0;
  for (const chunk of chunks) filled += chunk.copy(body, filled);
  return body;
}

/** Feeds chunks to `take` until the stream ends (`null`), breaks off, or `take` says why to stop. */
function collect(stream: Readable, take: (chunk: Buffer) => BodyRead | null): Promise<BodyRead | null> {
  return new Promise((resolve) => {
    const finish = (result: BodyRead | null) => {
      stream.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      stream.pause();
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      const stopped = take(chunk);
      if (stopped !== null) finish(stopped);
    };
    const onEnd = () => finish(null);
    const onBroken = () => finish({ ok: false, reason: 'aborted' });
    stream.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}
