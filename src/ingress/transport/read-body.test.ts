import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BytesInFlight, readBody } from './read-body.ts';

const MAX_BYTES = 1_000;
const settled = () => new Promise(setImmediate);

describe('reading a body', () => {
  it('returns exactly the bytes, for any chunks, in a separate buffer', async () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.boolean(), async (chunks, isAnnounced) => {
        const whole = Buffer.concat(chunks);
        const stream = new PassThrough();
        const reading = readBody(stream, isAnnounced ? whole.length : null, MAX_BYTES, new BytesInFlight().open());
        for (const chunk of chunks) stream.write(Buffer.from(chunk));
        stream.end();
        const read = await reading;
        expect(read.ok && Buffer.compare(read.body, whole)).toBe(0);
      }),
    );
  });

  it('does not retain the memory of the received chunks', async () => {
    const stream = new PassThrough();
    const chunk = Buffer.from('{"a":1}');
    const reading = readBody(stream, chunk.length, MAX_BYTES, new BytesInFlight().open());
    stream.end(chunk);
    const read = await reading;
    expect(read.ok && read.body.buffer.byteLength).toBe(7);
    expect(read.ok && read.body.buffer).not.toBe(chunk.buffer);
  });

  it('does not copy a body of one chunk with a separate buffer', async () => {
    const stream = new PassThrough();
    const chunk = Buffer.from(new Uint8Array(500).buffer);
    const reading = readBody(stream, chunk.length, MAX_BYTES, new BytesInFlight().open());
    stream.end(chunk);
    const read = await reading;
    expect(read.ok && read.body.buffer).toBe(chunk.buffer);
  });

  it('rejects an announced body that is too large without reading it', async () => {
    const stream = new PassThrough();
    const read = await readBody(stream, MAX_BYTES + 1, MAX_BYTES, new BytesInFlight().open());
    expect(read).toEqual({ ok: false, reason: 'too_large', bytes: 1_001 });
    expect(stream.listenerCount('data')).toBe(0);
  });

  it('stops at the first byte above the limit and reports the number of read bytes', async () => {
    const stream = new PassThrough();
    const reading = readBody(stream, null, MAX_BYTES, new BytesInFlight().open());
    stream.write(Buffer.alloc(MAX_BYTES));
    await settled();
    stream.write(Buffer.alloc(1));
    expect(await reading).toEqual({ ok: false, reason: 'too_large', bytes: 1_001 });
    expect(stream.isPaused()).toBe(true);
  });

  it('reports that the sender disconnected', async () => {
    for (const error of [undefined, new Error('aborted')]) {
      const stream = new PassThrough();
      const reading = readBody(stream, 100, MAX_BYTES, new BytesInFlight().open());
      stream.write(Buffer.alloc(50));
      await settled();
      stream.destroy(error);
      expect(await reading).toEqual({ ok: false, reason: 'aborted' });
    }
  });
});

describe('bytes in flight', () => {
  it('are limited over all requests, and released when a request is answered', async () => {
    const inFlight = new BytesInFlight(MAX_BYTES);
    const read = (bytes: number) => {
      const stream = new PassThrough();
      const held = inFlight.open();
      const reading = readBody(stream, null, MAX_BYTES, held);
      stream.end(Buffer.alloc(bytes));
      return { reading, held };
    };
    const first = read(600);
    expect(await first.reading).toMatchObject({ ok: true });
    const second = read(401);
    expect(await second.reading).toEqual({ ok: false, reason: 'overloaded' });
    second.held.release();
    first.held.release();
    first.held.release();
    expect(await read(1_000).reading).toMatchObject({ ok: true });
    expect(await read(1).reading).toEqual({ ok: false, reason: 'overloaded' });
  });

  it('exceed the size of a body in many small chunks only slightly', async () => {
    const inFlight = new BytesInFlight(MAX_BYTES);
    const stream = new PassThrough();
    const reading = readBody(stream, null, MAX_BYTES, inFlight.open());
    for (let i = 0; i < 400; i++) stream.write(Buffer.alloc(1));
    stream.end();
    const read = await reading;
    expect(read.ok && read.body.buffer.byteLength).toBeLessThan(800);
  });
});
