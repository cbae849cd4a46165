import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { startIngress, type TestIngress } from '../helpers/start-ingress.ts';

const INVALID = '{"type":"about:blank","title":"Bad Request","status":400,"detail":"the body is not valid JSON"}';

interface Case {
  file: string;
  bytes: number;
  expect: 202 | 400 | 'either';
}

const SUITE = fileURLToPath(new URL('../vectors/JSONTestSuite/', import.meta.url));
const read = (name: string) => readFileSync(join(SUITE, name));
const { cases } = JSON.parse(read('expected.json').toString('utf8')) as { cases: Case[] };
/** For tests that do not depend on the case. All three results are among them. */
const EVERY_TENTH = cases.filter((_, index) => index % 10 === 0);

let ingress: TestIngress;

afterEach(() => ingress.close());

describe('JSONTestSuite', () => {
  it.each([
    ['application/json', cases, { count: 318, accepted: 95 }],
    ['text/plain', EVERY_TENTH, { count: 32, accepted: 9 }],
    [null, EVERY_TENTH, { count: 32, accepted: 9 }],
    ['application/json; charset=utf-16', EVERY_TENTH, { count: 32, accepted: 9 }],
  ])('is answered exactly, for any Content-Type (%s)', async (contentType, posted, { count, accepted }) => {
    ingress = await startIngress({ limits: { deliveriesPerMinute: 1_000 } });
    const type: Record<string, string> = contentType === null ? {} : { 'content-type': contentType };
    const stored = new Map<string, Buffer>();
    const send = async ({ file, expect: verdict }: Case) => {
      const body = read(`test_parsing/${file}`);
      const answer = await ingress.post('hook', { body, headers: { ...type, 'x-service-delivery-id': file } });
      const wanted = verdict === 'either' ? [202, 400] : [verdict];
      expect([file, wanted]).toEqual([file, expect.arrayContaining([answer.status])]);
      if (answer.status === 400) expect(answer.body).toBe(INVALID);
      else {
        expect(answer.body).toBe(JSON.stringify({ delivery_id: file }));
        stored.set(file, body);
      }
    };
    // Sent together, they cost the storage a few writes instead of one each.
    for (let at = 0; at < posted.length; at += 32) await Promise.all(posted.slice(at, at + 32).map(send));
    expect(stored.size).toBeGreaterThanOrEqual(accepted);
    const rows = await ingress.deliveries();
    expect(rows).toHaveLength(count);
    for (const { id, deliveryId, label } of rows) {
      const body = stored.get(deliveryId!);
      expect(label).toBe(body ? 'Accepted' : 'Rejected (invalid JSON)');
      const payload = await ingress.storage.deliveryReader.payload(id);
      expect(payload === null ? null : Buffer.from(payload)).toEqual(body ?? null);
    }
    expect(ingress.seen.trouble).toEqual([]);
  });
});

describe('a body that is not JSON', () => {
  it.each([
    ['empty', '', 'empty_body'],
    ['white space', ' \n', 'invalid_json'],
    ['cut', '{"a":1', 'invalid_json'],
    ['followed by more', '{} {}', 'invalid_json'],
    ['followed by a NUL', '{}\0', 'invalid_json'],
    ['with a comment', '{} // x', 'invalid_json'],
    ['a form', 'payload=%7B%7D', 'invalid_json'],
    ['NaN', 'NaN', 'invalid_json'],
    ['after a byte order mark', '\ufeff{}', 'byte_order_mark'],
    ['in UTF-16', Buffer.from('{}', 'utf16le'), 'invalid_json'],
    ['with broken UTF-8', Buffer.from([0x22, 0xc3, 0x22]), 'invalid_utf8'],
    ['with overlong UTF-8', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 'invalid_utf8'],
    ['with a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'invalid_utf8'],
    ['compressed', gzipSync('{}'), 'compressed_body'],
    ['compressed with another coding than declared', zstdCompressSync('{}'), 'compressed_body'],
  ])('(%s) is 400, logged with its reason, and can be sent again once it is', async (_what, body, reason) => {
    ingress = await startIngress();
    const headers = { 'x-service-delivery-id': 'again', 'content-encoding': 'gzip' };
    const answer = await ingress.post('hook', { headers, body });
    expect(answer).toMatchObject({ status: 400, body: INVALID });
    expect(answer.headers['content-type']).toBe('application/problem+json');
    const [row] = await ingress.deliveries();
    expect(row).toMatchObject({ label: 'Rejected (invalid JSON)', reason, size: Buffer.byteLength(body) });
    expect(row).toMatchObject({ deliveryIdSource: 'service_header', deliveryId: 'again' });
    expect(await ingress.storage.deliveryReader.payload(row!.id)).toBeNull();
    expect((await ingress.post('hook', { headers, body: '{}' })).status).toBe(202);
    expect((await ingress.deliveries())[0]).toMatchObject({ label: 'Accepted' });
  });
});

it('a byte order mark is named as the reason of the rejection', async () => {
  const { body_hex, headers } = JSON.parse(readFileSync('test/vectors/cases/body-with-bom.json', 'utf8'));
  ingress = await startIngress();
  expect(await ingress.post('hook', { headers, body: Buffer.from(body_hex, 'hex') })).toMatchObject({ status: 400 });
  const [row] = await ingress.deliveries();
  expect(row).toMatchObject({ reason: 'byte_order_mark', detail: 'the first bytes are EF BB BF' });
});

describe('hostile JSON (threat model N10, N11)', () => {
  const filter = { a: { b: ['x'] }, list: { id: { in: [1] } } };

  it('130,000 nested arrays or objects do not end the process, with or without a filter', async () => {
    ingress = await startIngress({ automations: [{ name: 'deep', webhook: 'hook', payload: { a: { b: ['x'] } } }] });
    const bodies = [
      `${'['.repeat(130_000)}${']'.repeat(130_000)}`,
      `{"a":${'['.repeat(130_000)}${']'.repeat(130_000)}}`,
      `${'{"a":'.repeat(43_000)}1${'}'.repeat(43_000)}`,
      `{"a":{"b":${'['.repeat(130_000)}${']'.repeat(130_000)}}}`,
      '['.repeat(262_144),
    ];
    const statuses: number[] = [];
    for (const body of bodies) statuses.push((await ingress.post('hook', { body })).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400]);
    const rows = await ingress.deliveries();
    expect(rows.map(({ label, reason }) => [label, reason])).toEqual(
      Array(5).fill(['Rejected (invalid JSON)', 'too_deep']),
    );
    expect(ingress.seen.trouble).toEqual([]);
  });

  it('any JSON type at each path that a filter reads is a plain decision', async () => {
    ingress = await startIngress({
      automations: [{ name: 'reader', webhook: 'hook', payload: filter }],
      limits: { deliveriesPerMinute: 1_000 },
    });
    const values = [
      null,
      true,
      0,
      -1.5,
      1e308,
      '',
      'x',
      [],
      [[]],
      [null],
      [{}],
      {},
      { b: {} },
      { b: ['x'] },
      { id: 1 },
    ];
    for (const a of values) {
      for (const list of values) {
        expect((await ingress.post('hook', { body: JSON.stringify({ a, list }) })).status).toBe(202);
      }
    }
    for (const value of values) expect((await ingress.post('hook', { body: JSON.stringify(value) })).status).toBe(202);
    expect(ingress.seen.trouble).toEqual([]);
  });

  it('names of the prototype are ordinary keys', async () => {
    const payload = JSON.parse('{"__proto__":{"polluted":["yes"]},"constructor":{"name":{"exists":false}}}');
    ingress = await startIngress({ automations: [{ name: 'proto', webhook: 'hook', payload }] });
    await ingress.post('hook', { body: '{"polluted":"yes"}' });
    await ingress.post('hook', { body: '{"__proto__":{"polluted":"yes"},"constructor":{"x":1}}' });
    const [second, first] = await ingress.deliveries();
    expect(first?.runs).toHaveLength(0);
    expect(second?.runs).toHaveLength(1);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
