import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { findScheme } from '../../src/definitions/signature/schemes/schemes.ts';
import { signRequest } from '../../src/definitions/signature/sign/sign-request.ts';
import type { RawAnswer } from '../helpers/raw-connection.ts';
import { startIngress, type TestIngress, TOKEN } from '../helpers/start-ingress.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const SIGNED = { name: 'signed', authMode: 'signature' as const, signatureScheme: 'standard_webhooks', secret: SECRET };

const sha256 = (bytes: string | Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

let ingress: TestIngress;

afterEach(() => ingress.close());

/** Sends over a raw socket, header bytes as Latin-1. */
async function sendRaw(lines: string[], body = '{}'): Promise<RawAnswer | null> {
  const head = [`POST ${ingress.path()} HTTP/1.1`, 'Host: h', `Authorization: Bearer ${TOKEN}`, ...lines];
  const connection = await ingress.connect();
  const answer = await connection
    .send(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    .readAnswer();
  connection.destroy();
  return answer;
}

describe('the identity of a delivery', () => {
  it('is answered and logged with the source it came from', async () => {
    ingress = await startIngress({ webhooks: [{ deliveryIdHeader: 'X-Event-Id' }] });
    const cases: [Record<string, string>, string, string][] = [
      [{ 'x-event-id': 'own', 'x-service-delivery-id': 'service' }, 'header', 'own'],
      [{ 'x-event-id': '', 'x-service-delivery-id': 'service' }, 'service_header', 'service'],
      [{ 'X-SERVICE-DELIVERY-ID': ' spaced ' }, 'service_header', 'spaced'],
      [{ 'x-github-delivery': 'not this one' }, 'body_hash', sha256('{"n":3}')],
      [{ 'x-event-id': 'x'.repeat(300) }, 'header', sha256('x'.repeat(300))],
    ];
    for (const [index, [headers, source, value]] of cases.entries()) {
      const answer = await ingress.post('hook', { headers, body: `{"n":${index}}` });
      expect(answer).toMatchObject({ status: 202, body: JSON.stringify({ delivery_id: value }) });
      expect(answer.headers).toMatchObject({ 'content-type': 'application/json' });
      expect((await ingress.deliveries())[0]).toMatchObject({
        label: 'Accepted',
        deliveryIdSource: source,
        deliveryId: value,
      });
    }
  });

  it('is the value at the path of the webhook, read without its filters', async () => {
    ingress = await startIngress({ webhooks: [{ deliveryIdPath: 'event.id' }] });
    const cases: [string, string, string, string][] = [
      ['{"event":{"id":"evt_1"},"n":1}', 'payload', 'evt_1', 'Accepted'],
      ['{"event":{"id":"evt_1"},"n":2}', 'payload', 'evt_1', 'Duplicate'],
      ['{"event":{"\\u0069d":17}}', 'payload', '17', 'Accepted'],
      ['{"event":[{"id":"evt_1"}]}', 'body_hash', sha256('{"event":[{"id":"evt_1"}]}'), 'Accepted'],
      // JSON libraries round both to the same number.
      ['{"event":{"id":12345678901234567890}}', 'payload', '12345678901234567890', 'Accepted'],
      ['{"event":{"id":12345678901234567891}}', 'payload', '12345678901234567891', 'Accepted'],
      ['{"event":{"id": 12345678901234567890 },"n":2}', 'payload', '12345678901234567890', 'Duplicate'],
      ['{"event":{"id":1e300}}', 'body_hash', sha256('{"event":{"id":1e300}}'), 'Accepted'],
    ];
    for (const [body, deliveryIdSource, deliveryId, label] of cases) {
      expect(await ingress.post('hook', { body })).toMatchObject({
        status: 202,
        body: JSON.stringify({ delivery_id: deliveryId }),
      });
      expect((await ingress.deliveries())[0]).toMatchObject({ label, deliveryIdSource, deliveryId });
    }
    const sent = { body: '{"event":{"id":null}}', headers: { 'x-service-delivery-id': 'evt_1' } };
    expect((await ingress.post('hook', sent)).body).toBe('{"delivery_id":"evt_1"}');
    expect((await ingress.deliveries())[0]).toMatchObject({ label: 'Accepted', deliveryIdSource: 'service_header' });
  });

  it('is shown but decides nothing with deduplicate: false, also for requests at the same moment', async () => {
    ingress = await startIngress({
      webhooks: [{ deduplicate: false }],
      automations: [{ name: 'run-it', webhook: 'hook' }],
    });
    const headers = { 'x-service-delivery-id': 'one' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => ingress.post('hook', { headers, body: '{}' })));
    for (const body of ['[]', '[]']) answers.push(await ingress.post('hook', { body }));
    expect(answers.map(({ status }) => status)).toEqual(Array(22).fill(202));
    expect(answers[0]!.body).toBe('{"delivery_id":"one"}');
    const rows = await ingress.deliveries();
    expect(rows.map(({ label, deduplicated }) => [label, deduplicated])).toEqual(Array(22).fill(['Accepted', false]));
    expect(new Set(rows.flatMap(({ runs }) => runs)).size).toBe(22);
    expect(rows[0]!.deliveryId).toBe(sha256('[]'));
    expect(rows[0]!.deliveryIdSource).toBe('body_hash');
  });

  it('does not outlive the log with deduplicate: false', async () => {
    ingress = await startIngress({ webhooks: [{ deduplicate: false }, { name: 'other' }] });
    for (const name of ['hook', 'hook', 'other', 'other']) await ingress.post(name, { body: '{}' });
    const policy = { deliveriesMs: 0, minDeliveries: 0, identitiesMs: 1e9, runsMs: 1, auditMs: 1, secretVersionsMs: 1 };
    while ((await ingress.storage.retention.prune(policy, ingress.clock.wallMs() + 60_000)).more);
    const file = new Database(ingress.file, { readonly: true });
    const kept = file.prepare('SELECT webhooks.name FROM identities JOIN webhooks ON ref = webhook').pluck().all();
    file.close();
    expect(kept).toEqual(['other']);
  });

  it('is another one if an ID looks like the hash of a long ID', async () => {
    ingress = await startIngress({ webhooks: [{ deliveryIdHeader: 'X-Event-Id' }] });
    const long = 'x'.repeat(300);
    for (const id of [long, sha256(long), long])
      await ingress.post('hook', { headers: { 'x-event-id': id }, body: '{}' });
    expect((await ingress.deliveries()).map(({ label }) => label)).toEqual(['Duplicate', 'Accepted', 'Accepted']);
  });

  it('is stored and answered as a hash if it holds the secret of the webhook', async () => {
    ingress = await startIngress({ webhooks: [{ deliveryIdHeader: 'Authorization' }] });
    const basic = `Basic ${Buffer.from(TOKEN).toString('base64')}`;
    const id = sha256(`Bearer ${TOKEN}`);
    expect(await ingress.post('hook', { body: '{}' })).toMatchObject({ status: 202, body: `{"delivery_id":"${id}"}` });
    expect((await ingress.post('hook', { body: '{}', headers: { authorization: basic } })).status).toBe(401);
    const named = { 'x-service-delivery-id': `build ${TOKEN}` };
    expect((await ingress.post('hook', { body: 'no JSON', headers: named })).status).toBe(400);
    const values = (await ingress.deliveries()).map(({ deliveryId }) => deliveryId);
    expect(values).toEqual([id, sha256(basic), id]);
    const stored = ['', '-wal'].map((suffix) => readFileSync(`${ingress.file}${suffix}`, 'latin1')).join('');
    expect(stored).toContain(id);
    expect([stored.includes(TOKEN), stored.includes(basic)]).toEqual([false, false]);
  });

  it('that was accepted before is a Duplicate: 202 again, linked, nothing stored, nothing started', async () => {
    ingress = await startIngress({ automations: [{ name: 'run-it', webhook: 'hook' }] });
    const headers = { 'x-service-delivery-id': 'one' };
    for (const body of ['{}', '{}', '{"other":1}']) {
      const answer = await ingress.post('hook', { headers, body });
      expect(answer).toMatchObject({ status: 202, body: '{"delivery_id":"one"}' });
    }
    const [other, same, accepted] = await ingress.deliveries();
    expect(accepted).toMatchObject({ label: 'Accepted', runs: [expect.stringMatching(/^run_/)] });
    expect(same).toMatchObject({ label: 'Duplicate', reason: 'same_identity', duplicateOf: accepted!.id, runs: [] });
    expect(other).toMatchObject({ label: 'Duplicate', reason: 'same_identity_other_body', size: 11, runs: [] });
    expect(await ingress.storage.deliveryReader.payload(other!.id)).toBeNull();
    expect(ingress.seen.wakened).toEqual(['payments']);
  });

  it('is the body if no header has an ID, so that equal bodies are one delivery', async () => {
    ingress = await startIngress();
    for (const body of ['{"a":1}', '{"a":1}', '{"a": 1}']) await ingress.post('hook', { body });
    expect((await ingress.deliveries()).map(({ label }) => label)).toEqual(['Accepted', 'Duplicate', 'Accepted']);
  });

  it('is scoped to its webhook and to its source', async () => {
    ingress = await startIngress({ webhooks: [{ deliveryIdHeader: 'x-own' }, { name: 'other' }] });
    const hash = sha256('{}');
    expect((await ingress.post('hook', { body: '{}' })).body).toContain(hash);
    await ingress.post('hook', { headers: { 'x-service-delivery-id': hash }, body: '{}' });
    await ingress.post('hook', { headers: { 'x-own': hash }, body: '{}' });
    await ingress.post('other', { body: '{}' });
    const labels = [...(await ingress.deliveries()), ...(await ingress.deliveries('other'))].map(({ label }) => label);
    expect(labels).toEqual(Array(4).fill('Accepted'));
  });

  it('sent many times at the same moment is accepted exactly once', async () => {
    ingress = await startIngress({ automations: [{ name: 'run-it', webhook: 'hook' }] });
    const headers = { 'x-service-delivery-id': 'race' };
    const answers = await Promise.all(Array.from({ length: 40 }, () => ingress.post('hook', { headers, body: '{}' })));
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(202));
    const rows = await ingress.deliveries();
    expect(rows).toHaveLength(40);
    expect(rows.filter(({ label }) => label === 'Accepted')).toHaveLength(1);
    expect(rows.flatMap(({ runs }) => runs)).toHaveLength(1);
  });

  it('of a rejected delivery can be sent again', async () => {
    ingress = await startIngress({ webhooks: [SIGNED] });
    const body = Buffer.from('{}');
    const delivery = { url: '', body, nowMs: ingress.clock.wallMs(), deliveryId: 'msg_1', newId: () => '' };
    const headers = signRequest(findScheme('standard_webhooks')!, SECRET, delivery).headers;
    const tampered = Buffer.from('[]');
    expect((await ingress.post(ingress.path('signed'), { headers, body: tampered })).status).toBe(401);
    expect((await ingress.post(ingress.path('signed'), { headers, body })).status).toBe(202);
    expect((await ingress.deliveries('signed')).map(({ label }) => label)).toEqual(['Accepted', 'Rejected (auth)']);
  });

  it('is that of the verified header family if webhook-id and svix-id are both sent', async () => {
    ingress = await startIngress({ webhooks: [SIGNED] });
    const body = Buffer.from('{}');
    const sign = (deliveryId: string) =>
      signRequest(findScheme('standard_webhooks')!, SECRET, {
        url: '',
        body,
        deliveryId,
        nowMs: ingress.clock.wallMs(),
        newId: () => '',
      }).headers;
    const toSvix = (headers: Record<string, string>) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace(/^webhook-/i, 'svix-'), value]));
    const forged = (headers: Record<string, string>) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(/^v1,..../, 'v1,AAAA')]));
    const send = async (headers: Record<string, string>) =>
      (await ingress.post(ingress.path('signed'), { headers, body })).body;

    expect(await send({ ...sign('standard-1'), ...forged(toSvix(sign('svix-1'))) })).toBe(
      '{"delivery_id":"standard-1"}',
    );
    expect(await send({ ...forged(sign('standard-2')), ...toSvix(sign('svix-2')) })).toBe('{"delivery_id":"svix-2"}');
    expect(await send({ ...toSvix(sign('svix-3')), 'webhook-id': 'unsigned' })).toBe('{"delivery_id":"svix-3"}');
    const sources = (await ingress.deliveries('signed')).map(({ deliveryIdSource }) => deliveryIdSource);
    expect(sources).toEqual(['provider', 'provider', 'provider']);
  });

  it('of a signed webhook is its own header before the provider header', async () => {
    ingress = await startIngress({ webhooks: [{ ...SIGNED, deliveryIdHeader: 'X-Own' }] });
    const body = Buffer.from('{}');
    const delivery = { url: '', body, nowMs: ingress.clock.wallMs(), deliveryId: 'msg_1', newId: () => '' };
    const signed = signRequest(findScheme('standard_webhooks')!, SECRET, delivery);
    const headers = { ...signed.headers, 'x-own': 'mine' };
    expect((await ingress.post(ingress.path('signed'), { headers, body })).body).toBe('{"delivery_id":"mine"}');
  });
});

describe('naughty strings', { tags: 'full' }, () => {
  /** Groups that are sent concurrently: each costs the storage a few writes instead of 32. */
  const divide = (texts: string[]) =>
    Array.from({ length: Math.ceil(texts.length / 32) }, (_, at) => texts.slice(at * 32, at * 32 + 32));
  const list = JSON.parse(
    readFileSync(new URL('../vectors/naughty-strings/blns.json', import.meta.url), 'utf8'),
  ) as string[];

  it('as payload values are stored byte for byte, and the one filter that lists each starts its run', async () => {
    const wanted = [...new Set(list)];
    const automations = divide(wanted).map((v, index) => ({ name: `group-${index}`, webhook: 'hook', payload: { v } }));
    ingress = await startIngress({ automations, limits: { deliveriesPerMinute: 1_000 } });
    for (const group of divide(list)) {
      const answers = group.map((v) => ingress.post('hook', { body: JSON.stringify({ v }) }));
      for (const { status } of await Promise.all(answers)) expect(status).toBe(202);
    }
    const accepted = (await ingress.deliveries()).filter(({ label }) => label === 'Accepted');
    expect(accepted).toHaveLength(wanted.length);
    for (const { id, runs } of accepted) {
      const body = Buffer.from((await ingress.storage.deliveryReader.payload(id))!).toString('utf8');
      const { v } = JSON.parse(body) as { v: string };
      expect(body).toBe(JSON.stringify({ v }));
      expect(runs).toHaveLength(1);
      expect((await ingress.storage.runReader.get(runs[0]!))?.automation).toBe(
        `group-${Math.floor(wanted.indexOf(v) / 32)}`,
      );
    }
  });

  it('as bytes of the identity header never cause 5xx, and are equal only if they are equal after trimming', async () => {
    ingress = await startIngress({ limits: { deliveriesPerMinute: 2_000 } });
    const identities = new Map<string, number>();
    let refused = 0;
    const sendAsIdentity = async (text: string) => {
      const bytes = Buffer.from(text, 'utf8').toString('latin1');
      const trimmed = bytes.replace(/^[ \t]+|[ \t]+$/g, '');
      // Line breaks would end the header, so such a text cannot be sent as a value.
      if (/[\r\n]/.test(bytes)) return;
      // With a unique body, an empty value falls back to a unique hash.
      const body = JSON.stringify({ n: list.indexOf(text), text: refused });
      const answer = await sendRaw([`X-Service-Delivery-Id: ${bytes}`], body);
      if (answer?.status === 202) {
        if (trimmed !== '') identities.set(trimmed, (identities.get(trimmed) ?? 0) + 1);
      } else {
        expect(answer?.status).toBe(400);
        refused += 1;
      }
    };
    for (const group of divide(list)) await Promise.all(group.map(sendAsIdentity));
    const rows = (await ingress.deliveries()).filter(({ deliveryIdSource }) => deliveryIdSource === 'service_header');
    expect(rows.filter(({ label }) => label === 'Accepted')).toHaveLength(identities.size);
    expect(identities.size).toBeGreaterThan(480);
    expect(refused).toBeLessThan(10);
    expect(ingress.seen.trouble).toEqual([]);
    const shown = new Set(rows.map(({ deliveryId }) => deliveryId));
    for (const text of ['Ω≈ç√∫˜µ≤≥÷', '👾 🙇 💁 🙅 🙆 🙋 🙎 🙍']) {
      expect(list).toContain(text);
      expect(shown).toContain(text);
    }
  });
});
