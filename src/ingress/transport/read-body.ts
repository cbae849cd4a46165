import type { Readable } from 'node:stream';

/** The result of reading a body. */
export type BodyRead =
  | { ok: true; body: Buffer<ArrayBuffer> }
  /** The announced or the received size exceeds the limit; reading has stopped. */
  | { ok: false; reason: 'too_large'; bytes: number }
  /** The bodies of all connections together would exceed the limit. */
  | { ok: false; reason: 'overloaded' }
  /** The sender disconnected. */
  | { ok: false; reason: 'aborted' };

/** Maximum size of the bodies of all connections together (threat model N1). */
const MAX_BYTES_IN_FLIGHT = 128 * 1024 * 1024;

/** Counts the bytes of bodies in memory, from the first byte received until the delivery is answered. */
export class BytesInFlight {
  readonly #limit: number;
  #held = 0;

  constructor(limit = MAX_BYTES_IN_FLIGHT) {
    this.#limit = limit;
  }

  /** The share of one request. Release it when the request is answered. */
  open(): HeldBytes {
    return new Share(this);
  }

  /** `false` if the limit would be exceeded. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#limit) return false;
    this.#held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}

class Share implements HeldBytes {
  readonly #all: BytesInFlight;
  #bytes = 0;

  constructor(all: BytesInFlight) {
    this.#all = all;
  }

  take(bytes: number): boolean {
    if (!this.#all.take(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  release(): void {
    this.#all.release(this.#bytes);
    this.#bytes = 0;
  }
}

export interface HeldBytes {
  /** `false` if the limit would be exceeded. */
  take(bytes: number): boolean;
  release(): void;
}

/**
 * Reads a body into a separate buffer, which can be transferred to another thread without a copy. Stops at the first byte
 * above the limit, with or without `Content-Length`. Memory is allocated for received bytes, not for the announced length,
 * so that connections that announce much and send nothing use no memory.
 *
 * @param announcedBytes value of `Content-Length`; `null` for a chunked body
 */
export async function readBody(
  stream: Readable,
  announcedBytes: number | null,
  maxBytes: number,
  held: HeldBytes,
): Promise<BodyRead> {
  const limit = announcedBytes ?? maxBytes;
  if (limit > maxBytes) return { ok: false, reason: 'too_large', bytes: limit };
  let body: Buffer<ArrayBuffer> = Buffer.alloc(0);
  let filled = 0;
  const stopped = await collect(stream, (chunk) => {
    const needed = filled + chunk.length;
    if (needed > limit) return { ok: false, reason: 'too_large', bytes: needed };
    if (filled === 0 && needed === announcedBytes && ownsBuffer(chunk)) {
      if (!held.take(needed)) return { ok: false, reason: 'overloaded' };
      body = chunk;
      filled = needed;
      return null;
    }
    if (needed > body.length) {
      // Doubles the buffer, so that a body in many small chunks is not copied for each chunk.
      const larger = Math.min(limit, Math.max(needed, body.length * 2));
      if (!held.take(larger - body.length)) return { ok: false, reason: 'overloaded' };
      body = enlarge(body, filled, larger);
    }
    chunk.copy(body, filled);
    filled = needed;
    return null;
  });
  return stopped ?? { ok: true, body: body.subarray(0, filled) };
}

/** A chunk of `node:http` is a separate buffer. Then a body of one chunk needs no copy. */
function ownsBuffer(chunk: Buffer): chunk is Buffer<ArrayBuffer> {
  return chunk.byteLength === chunk.buffer.byteLength;
}

function enlarge(body: Buffer, filled: number, bytes: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(bytes) as Buffer<ArrayBuffer>;
  body.copy(larger, 0, 0, filled);
  return larger;
}

function ignore(): void {}

/** Passes chunks to `take` until the stream ends (`null`), is aborted, or `take` returns a reason to stop. */
function collect(stream: Readable, take: (chunk: Buffer) => BodyRead | null): Promise<BodyRead | null> {
  return new Promise((resolve) => {
    const finish = (result: BodyRead | null) => {
      stream.off('data', onData).off('end', onEnd).off('close', onBroken);
      stream.pause();
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      const stopped = take(chunk);
      if (stopped !== null) finish(stopped);
    };
    // The listeners end with the stream, and `close` follows every end: removing them would cost more than the call.
    const onEnd = () => resolve(null);
    const onBroken = () => resolve({ ok: false, reason: 'aborted' });
    // An error is always followed by `close`. Without a listener, it would end the process, also after reading has stopped.
    stream.on('error', ignore);
    stream.on('data', onData).on('end', onEnd).on('close', onBroken);
  });
}
