import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { startIngress, type TestIngress, type TestWebhook } from '../helpers/start-ingress.ts';

const SECRET = 'the secret of the provider';
const BODY = '{"action":"opened"}';

let ingress: TestIngress;

afterEach(() => ingress.close());

async function start(signatureScheme: string, more: Partial<TestWebhook> = {}): Promise<void> {
  const webhooks = [{ authMode: 'signature' as const, signatureScheme, secret: SECRET, ...more }];
  ingress = await startIngress({ webhooks });
}

/** The label, ID and source of each entry, the oldest first. */
async function listIds() {
  const rows = await ingress.deliveries();
  return rows.map((row) => [row.label, row.deliveryId, row.deliveryIdSource]).reverse();
}

const sign = (body: string) => `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
const FORGED = `sha256=${'0'.repeat(64)}`;

describe('the ID of a rejected delivery of a provider', () => {
  it('is stored, but never claims the identity: a later genuine delivery is new', async () => {
    await start('github');
    const send = (signature: string, id: string) =>
      ingress.post(ingress.path(), {
        headers: { 'x-github-delivery': id, 'x-hub-signature-256': signature },
        body: BODY,
      });
    expect((await send(FORGED, 'guid-1')).status).toBe(401);
    expect((await send(sign(BODY), 'guid-1')).status).toBe(202);
    expect((await send(FORGED, 'guid-1')).status).toBe(401);
    expect((await send(sign(BODY), 'guid-1')).status).toBe(202);
    expect(await listIds()).toEqual([
      ['Rejected (auth)', 'guid-1', 'provider'],
      ['Accepted', 'guid-1', 'provider'],
      ['Rejected (auth)', 'guid-1', 'provider'],
      ['Duplicate', 'guid-1', 'provider'],
    ]);
    const page = { webhookUid: ingress.uid(), label: null, limit: 10, cursor: null };
    expect((await ingress.storage.deliveryReader.list({ ...page, identity: 'guid-1' })).data).toHaveLength(4);
  });

  it('is stored for a body that is too large, which is not read', async () => {
    await start('github');
    const headers = { 'x-github-delivery': 'guid-1', 'x-hub-signature-256': FORGED };
    expect((await ingress.post(ingress.path(), { headers, body: 'x'.repeat(300_000) })).status).toBe(413);
    expect(await listIds()).toEqual([['Rejected (too large)', 'guid-1', 'provider']]);
  });

  it('follows the precedence of identities, and never contains the secret', async () => {
    await start('github', { deliveryIdHeader: 'X-Event-Id' });
    const send = (headers: Record<string, string>) => ingress.post(ingress.path(), { headers, body: BODY });
    await send({ 'x-event-id': 'own', 'x-github-delivery': 'guid', 'x-service-delivery-id': 'service' });
    await send({ 'x-github-delivery': 'guid', 'x-service-delivery-id': 'service' });
    await send({ 'x-github-delivery': '', 'x-service-delivery-id': 'service' });
    await send({ 'x-github-delivery': SECRET });
    await send({});
    const [own, guid, service, hashed, none] = (await listIds()).map(([, id, source]) => [id, source]);
    expect([own, guid, service, none]).toEqual([
      ['own', 'header'],
      ['guid', 'provider'],
      ['service', 'service_header'],
      [null, null],
    ]);
    expect(hashed![0]).toMatch(/^sha256:/);
  });

  it.each([
    ['shopify', { 'x-shopify-event-id': 'e-1' }, BODY, 'e-1'],
    ['gitlab', { 'x-gitlab-token': 'wrong', 'idempotency-key': 'u-1' }, BODY, 'u-1'],
    ['mailgun', {}, '{"signature":{"token":"t-1"}}', 't-1'],
    ['mailgun', {}, '{"signature":{"token":"t-1"}', null],
    ['mailgun', {}, '{"signature":{"token":1}}', null],
  ])('is read where %s puts it', async (scheme, headers, body, id) => {
    await start(scheme);
    expect((await ingress.post(ingress.path(), { headers, body })).status).toBe(401);
    expect((await listIds())[0]![1]).toBe(id);
  });
});
