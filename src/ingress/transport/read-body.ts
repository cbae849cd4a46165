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
export function readBody(
  stream: Readable,
  announcedBytes: number | null,
  maxBytes: number,
  held: HeldBytes,
): Promise<BodyRead> {
  const limit = announcedBytes ?? maxBytes;
  if (limit > maxBytes) return Promise.resolve({ ok: false, reason: 'too_large', bytes: limit });
  return collect(stream, new BodyBuffer(limit, announcedBytes, held));
}

/** The bytes of a body so far. */
class BodyBuffer {
  readonly #limit: number;
  readonly #announcedBytes: number | null;
  readonly #held: HeldBytes;
  #bytes = NO_BYTES;
  #filled = 0;

  constructor(limit: number, announcedBytes: number | null, held: HeldBytes) {
    this.#limit = limit;
    this.#announcedBytes = announcedBytes;
    this.#held = held;
  }

  /** Adds a chunk, or returns why the body is not read to its end. */
  add(chunk: Buffer): BodyRead | null {
    const needed = this.#filled + chunk.length;
    if (needed > this.#limit) return { ok: false, reason: 'too_large', bytes: needed };
    if (this.#filled === 0 && needed === this.#announcedBytes && ownsBuffer(chunk)) {
      if (!this.#held.take(needed)) return OVERLOADED;
      this.#bytes = chunk;
    } else {
      if (!this.#makeRoom(needed)) return OVERLOADED;
      chunk.copy(this.#bytes, this.#filled);
    }
    this.#filled = needed;
    return null;
  }

  end(): BodyRead {
    const isFull = this.#filled === this.#bytes.length;
    return { ok: true, body: isFull ? this.#bytes : this.#bytes.subarray(0, this.#filled) };
  }

  /** Doubles the buffer, so that a body in many small chunks is not copied for each chunk. */
  #makeRoom(needed: number): boolean {
    if (needed <= this.#bytes.length) return true;
    const larger = Math.min(this.#limit, Math.max(needed, this.#bytes.length * 2));
    if (!this.#held.take(larger - this.#bytes.length)) return false;
    this.#bytes = enlarge(this.#bytes, this.#filled, larger);
    return true;
  }
}

const NO_BYTES: Buffer<ArrayBuffer> = Buffer.alloc(0);
const OVERLOADED: BodyRead = { ok: false, reason: 'overloaded' };

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

/** Passes chunks to the buffer until the stream ends or is aborted, or the buffer returns a reason to stop. */
function collect(stream: Readable, buffer: BodyBuffer): Promise<BodyRead> {
  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      const stopped = buffer.add(chunk);
      if (stopped === null) return;
      stream.off('data', onData);
      stream.pause();
      resolve(stopped);
    };
    // `close` follows every end and every error. Without a listener, an error would end the process, also after this.
    const onEnd = () => resolve(buffer.end());
    const onClose = () => resolve(ABORTED);
    stream.on('error', ignore).on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

const ABORTED: BodyRead = { ok: false, reason: 'aborted' };
