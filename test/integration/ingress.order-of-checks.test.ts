import { createHmac } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { startIngress, type TestIngress } from '../helpers/start-ingress.ts';

const SIGNED = { name: 'signed', authMode: 'signature' as const, signatureScheme: 'github', secret: 'github secret' };

let ingress: TestIngress;

afterEach(() => ingress.close());

/** Announces a body and never sends it, so that the response does not depend on it. */
async function askWithoutBody(target: string, lines: string[] = [], method = 'POST'): Promise<number | undefined> {
  const head = [`${method} ${target} HTTP/1.1`, 'Host: hooks', ...lines, 'Content-Length: 100000000'];
  const connection = await ingress.connect();
  const answer = await connection.send(`${head.join('\r\n')}\r\n\r\n`).readAnswer();
  connection.destroy();
  return answer?.status;
}

const sign = (body: string) => `sha256=${createHmac('sha256', SIGNED.secret).update(body).digest('hex')}`;

it('path and method come before the webhook, the webhook before its credential, the credential before the body', async () => {
  ingress = await startIngress({
    webhooks: [{}, { name: 'url', authMode: 'url_token' }, { name: 'off', enabled: false }, SIGNED],
  });
  expect(await askWithoutBody('/other', [], 'GET')).toBe(404);
  expect(await askWithoutBody('/webhooks/w/wh_unknown', [], 'GET')).toBe(405);
  expect(await askWithoutBody('/webhooks/w/wh_unknown')).toBe(404);
  expect(await askWithoutBody(ingress.path('off'))).toBe(404);
  expect(await askWithoutBody(ingress.path(), ['Authorization: Bearer wrong'])).toBe(401);
  expect(await askWithoutBody(`${ingress.path('url')}/wrong`)).toBe(401);
  const rows = [...(await ingress.deliveries()), ...(await ingress.deliveries('url'))];
  expect(rows.map(({ label, size }) => [label, size])).toEqual([
    ['Rejected (auth)', 0],
    ['Rejected (auth)', 0],
  ]);
  // A signature needs the body, so its size comes first.
  expect(await askWithoutBody(ingress.path('signed'))).toBe(413);
});

it('a bad signature over bad JSON is 401; a good one over bad JSON is 400', async () => {
  ingress = await startIngress({ webhooks: [SIGNED] });
  const post = (signature: string) =>
    ingress.post(ingress.path('signed'), { headers: { 'x-hub-signature-256': signature }, body: '{bad' });
  expect((await post(sign('{other'))).status).toBe(401);
  expect((await post(sign('{bad'))).status).toBe(400);
  expect((await ingress.deliveries('signed')).map(({ label, reason, size }) => [label, reason, size])).toEqual([
    ['Rejected (invalid JSON)', 'invalid_json', 4],
    ['Rejected (auth)', 'bad_signature', 4],
  ]);
});

it('an exceeded delivery rate is 429 before size and JSON are checked, but after the credential', async () => {
  ingress = await startIngress({ limits: { deliveriesPerMinute: 1 } });
  await ingress.post('hook', { body: '{}' });
  expect((await ingress.post('hook', { body: '{bad' })).status).toBe(429);
  expect((await ingress.post('hook', { body: 'x'.repeat(262_145) })).status).toBe(429);
  expect((await ingress.post(ingress.path(), { body: '{bad' })).status).toBe(401);
});
