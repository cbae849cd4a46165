import { afterEach, expect, it } from 'vitest';
import { findScheme } from '../../src/signature/schemes/schemes.ts';
import { signRequest } from '../../src/signature/sign/sign-request.ts';
import { startIngress, type TestIngress, TOKEN } from '../helpers/start-ingress.ts';

let ingress: TestIngress;
let sent = 0;

afterEach(() => ingress.close());

const send = (name = 'hook') => ingress.post(name, { body: `{"n":${sent++}}` });

it('accepts exactly 60 authenticated requests in any 60 seconds, then answers 429 with the exact wait and no row', async () => {
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

  expect(await ingress.deliveries()).toHaveLength(62);
  expect(ingress.seen.rejections).toEqual(['delivery_rate', 'delivery_rate', 'delivery_rate']);
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
    limits: { deliveriesPerMinute: 1 },
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
