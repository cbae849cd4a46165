import { afterEach, expect, it } from 'vitest';
import { findScheme } from '../../src/definitions/signature/schemes/schemes.ts';
import { signRequest } from '../../src/definitions/signature/sign/sign-request.ts';
import { startIngress, type TestIngress, TOKEN } from '../helpers/start-ingress.ts';

let ingress: TestIngress;
let sent = 0;

afterEach(() => ingress.close());

const send = (name = 'hook') => ingress.post(name, { body: `{"n":${sent++}}` });

it('accepts exactly 60 authenticated requests in any 60 seconds, then answers 429 with the exact wait and no label', async () => {
  ingress = await startIngress({ webhooks: [{}, { name: 'other' }] });
  for (let i = 0; i < 60; i++) {
    expect((await send()).status).toBe(202);
    ingress.clock.advance(500);
  }
  // The first was admitted 30 s ago.
  expect(await send()).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
  expect((await send('other')).status).toBe(202);
  ingress.clock.advance(29_999);
  expect(await send()).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
  ingress.clock.advance(1);
  expect((await send()).status).toBe(202);
  expect((await send()).status).toBe(429);
  ingress.clock.advance(500);
  expect((await send()).status).toBe(202);

  expect((await ingress.deliveries()).filter(({ label }) => label !== null)).toHaveLength(62);
  expect(ingress.seen.rejections).toEqual(['delivery_rate', 'delivery_rate', 'delivery_rate']);
});

it('accepts 600 requests to a webhook that serves a provider, and 60 to one that serves none', {
  tags: 'full',
}, async () => {
  const webhooks = [
    { name: 'relay', serves: 'gitlab' as const },
    { name: 'none', serves: 'none' as const },
  ];
  ingress = await startIngress({ webhooks });
  const statuses = async (name: string, count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => send(name)));
    return new Map([202, 429].map((status) => [status, answers.filter((one) => one.status === status).length]));
  };
  expect(await statuses('relay', 610)).toEqual(
    new Map([
      [202, 600],
      [429, 10],
    ]),
  );
  expect(await statuses('none', 70)).toEqual(
    new Map([
      [202, 60],
      [429, 10],
    ]),
  );
});

it('one log entry stands for the requests of a minute, in its place in the log, without a label', async () => {
  ingress = await startIngress({ limits: { deliveriesPerMinute: 2 }, trustedProxies: ['127.0.0.1'] });
  const from = (address: string, id: string) =>
    ingress.post('hook', { body: '{}', headers: { 'x-forwarded-for': address, 'x-service-delivery-id': id } });
  const startedAt = Math.floor(ingress.clock.wallMs() / 60_000) * 60_000;
  for (const id of ['a', 'b']) expect((await from('192.0.2.7', id)).status).toBe(202);
  for (const id of ['c', 'd']) expect((await from('192.0.2.7', id)).status).toBe(429);
  expect((await from('192.0.2.9', 'c')).status).toBe(429);
  expect(await ingress.deliveries()).toHaveLength(2);
  ingress.clock.advance(startedAt + 60_100 - ingress.clock.wallMs());
  ingress.context.rateLimitedRows.flush();
  ingress.clock.advance(60_000);
  expect((await from('192.0.2.7', 'e')).status).toBe(202);

  const rows = await ingress.deliveries();
  expect(rows.map(({ deliveryId }) => deliveryId)).toEqual(['e', null, 'b', 'a']);
  const row = rows[1]!;
  expect(row).toMatchObject({
    label: null,
    reason: 'delivery_rate',
    detail: '3 requests were rate limited between 03:04 and 03:05 UTC, from 192.0.2.7 (2), 192.0.2.9 (1).',
    count: 3,
    receivedAt: startedAt + 59_999,
    clientAddress: '192.0.2.7',
    revision: 'c0ffee',
    runs: [],
  });
  const { deliveryReader, activityReader } = ingress.storage;
  const list = async (search: object) => {
    const page = { webhookUid: ingress.uid(), label: null, limit: 10, cursor: null };
    return (await deliveryReader.list({ ...page, ...search })).data.map(({ id }) => id);
  };
  expect(await list({ fromAt: startedAt, untilAt: startedAt + 60_000 })).toEqual(rows.slice(1).map(({ id }) => id));
  expect(await list({ fromAt: startedAt + 60_000 })).toEqual([rows[0]!.id]);
  expect(await list({ identity: 'c' })).toEqual([row.id]);
  expect(await list({ identity: 'd' })).toEqual([row.id]);
  expect(await list({ identity: 'c', label: 'Accepted' })).toEqual([]);
  expect(await list({ label: 'Accepted' })).toHaveLength(3);
  expect(await deliveryReader.get(row.id)).toEqual(row);
  expect(await deliveryReader.payload(row.id)).toBe(null);

  // The IDs claim no identity, and charts do not count the entry as a delivery.
  expect((await from('192.0.2.7', 'c')).status).toBe(202);
  expect((await ingress.deliveries())[0]).toMatchObject({ deliveryId: 'c', label: 'Accepted' });
  const hourAt = Math.floor(startedAt / 3_600_000) * 3_600_000;
  const counts = await activityReader.deliveries({ factory: 'payments', fromAt: hourAt, untilAt: hourAt + 3_600_000 });
  expect(counts).toMatchObject([{ label: 'Accepted', count: 4 }]);
});

it('finds requests over the delivery rate by the ID of the provider', async () => {
  const webhook = { authMode: 'signature' as const, signatureScheme: 'github', secret: 'github secret' };
  ingress = await startIngress({ webhooks: [webhook], limits: { providerDeliveriesPerMinute: 1 } });
  for (const deliveryId of ['id-1', 'id-2']) {
    const body = Buffer.from('{}');
    const delivery = { url: 'https://hooks.example.com', body, nowMs: 0, deliveryId, newId: () => '' };
    await ingress.post(ingress.path(), {
      headers: signRequest(findScheme('github')!, 'github secret', delivery).headers,
      body,
    });
  }
  ingress.context.rateLimitedRows.flush(true);
  await ingress.deliveries();
  const page = { webhookUid: ingress.uid(), label: null, limit: 10, cursor: null, identity: 'id-2' };
  expect((await ingress.storage.deliveryReader.list(page)).data).toMatchObject([{ label: null, count: 1 }]);
});

it('counts duplicates and requests that are rejected later, but no failed authentication', async () => {
  ingress = await startIngress({ limits: { deliveriesPerMinute: 3 } });
  for (let i = 0; i < 5; i++) expect((await ingress.post(ingress.path())).status).toBe(401);
  expect((await ingress.post('hook', { body: '{}' })).status).toBe(202);
  expect((await ingress.post('hook', { body: '{}' })).status).toBe(202);
  expect((await ingress.post('hook', { body: 'x' })).status).toBe(400);
  expect((await ingress.post('hook', { body: '{}' })).status).toBe(429);
});

it('rejects before the body is read if the credential is a token', async () => {
  ingress = await startIngress({ limits: { deliveriesPerMinute: 1 } });
  await send();
  const connection = await ingress.connect();
  connection.send(`POST ${ingress.path()} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${TOKEN}\r\n`);
  connection.send('Content-Length: 200000\r\n\r\n');
  expect((await connection.readAnswer())?.status).toBe(429);
});

it('counts requests to a signed webhook only after signature verification', async () => {
  ingress = await startIngress({
    webhooks: [{ authMode: 'signature', signatureScheme: 'github', secret: 'github secret' }],
    limits: { providerDeliveriesPerMinute: 1 },
  });
  const body = Buffer.from('{}');
  const delivery = { url: 'https://hooks.example.com', body, nowMs: 0, deliveryId: 'id-1', newId: () => '' };
  const signed = signRequest(findScheme('github')!, 'github secret', delivery).headers;
  const forged = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
  for (let i = 0; i < 3; i++) expect((await ingress.post(ingress.path(), { headers: forged, body })).status).toBe(401);
  expect((await ingress.post(ingress.path(), { headers: signed, body })).status).toBe(202);
  expect((await ingress.post(ingress.path(), { headers: signed, body })).status).toBe(429);
  // Still 401, not 429: the response must not reveal the rate to an unauthenticated sender.
  expect((await ingress.post(ingress.path(), { headers: forged, body })).status).toBe(401);
});
