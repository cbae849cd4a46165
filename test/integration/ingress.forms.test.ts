import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { buildSenderRequest } from '../../src/ingress/sender/build-request.ts';
import { BASE_URL, startIngress, type TestIngress, type TestWebhook } from '../helpers/start-ingress.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const PUSH = '{"ref": "refs/heads/main", "pusher": {"name": "zo\u00eb & co"}}';

const readCase = (name: string) => JSON.parse(readFileSync(`test/vectors/cases/${name}`, 'utf8'));

let ingress: TestIngress;

afterEach(() => ingress.close());

const bytes = (body: Uint8Array | null) => body && Buffer.from(body).toString();

/** The newest delivery, with its payload and the form that was received. */
async function readNewest() {
  const [delivery] = await ingress.deliveries();
  const { deliveryReader } = ingress.storage;
  const [payload, form] = [await deliveryReader.payload(delivery!.id), await deliveryReader.form(delivery!.id)];
  return { ...delivery!, payload: bytes(payload), form: bytes(form) };
}

const start = (webhook: TestWebhook, payload = {}) =>
  startIngress({ webhooks: [webhook], automations: [{ name: 'look', webhook: 'hook', payload }] });

describe('a webhook with bodyFormat: form', () => {
  it('reads the JSON of GitHub from the field payload, and stores the form byte for byte', async () => {
    const secret = 'It is a secret to everybody';
    const webhook = { authMode: 'signature', signatureScheme: 'github', secret, bodyFormat: 'form' } as const;
    ingress = await start({ ...webhook, deliveryIdPath: 'pusher.name' }, { ref: ['refs/heads/main'] });
    const body = `payload=${encodeURIComponent(PUSH).replaceAll('%20', '+')}`;
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const headers = { ...FORM, 'x-hub-signature-256': signature, 'x-github-event': 'push', 'x-github-delivery': 'g1' };
    expect((await ingress.post(ingress.path(), { headers, body })).status).toBe(202);
    const delivery = await readNewest();
    expect(delivery).toMatchObject({ payload: PUSH, form: body, size: body.length, event: 'push' });
    expect(delivery).toMatchObject({ deliveryId: 'zo\u00eb & co', deliveryIdSource: 'payload' });
    expect(delivery.runs).toHaveLength(1);
    expect((await ingress.post(ingress.path(), { headers, body: `${body}+` })).status).toBe(401);
  });

  it('reads the flat fields of a Slack command', async () => {
    ingress = await start({ bodyFormat: 'form' }, { command: ['/deploy'], tag: ['b'] });
    const body = 'command=%2Fdeploy&text=api+to+prod&tag=a&tag=b&__proto__=1';
    expect((await ingress.post('hook', { headers: FORM, body })).status).toBe(202);
    const delivery = await readNewest();
    const expected = '{"command":"/deploy","text":"api to prod","tag":["a","b"],"__proto__":"1"}';
    expect(delivery).toMatchObject({ payload: expected, form: body });
    expect(delivery.runs).toHaveLength(1);
    expect((await ingress.post('hook', { headers: FORM, body })).status).toBe(202);
    expect((await ingress.deliveries()).map(({ label }) => label)).toEqual(['Duplicate', 'Accepted']);
  });

  it('verifies the form of Twilio', async () => {
    const webhook = { authMode: 'signature', signatureScheme: 'twilio', bodyFormat: 'form' } as const;
    ingress = await start({ ...webhook, secret: '0123456789abcdef0123456789abcdef' }, { From: ['+15551234'] });
    const target = { ...webhook, signature: null, deliveryIdHeader: null, deliveryIdPath: null, formField: null };
    const request = buildSenderRequest(
      { ...target, ingressUrl: `${BASE_URL}${ingress.path()}` },
      '0123456789abcdef0123456789abcdef',
      { body: Buffer.from('From=%2B15551234&Body=Hi'), deliveryId: null, nowMs: 0, newId: () => '' },
    );
    expect((await ingress.post(ingress.path(), request)).status).toBe(202);
    const delivery = await readNewest();
    expect(delivery).toMatchObject({ payload: '{"From":"+15551234","Body":"Hi"}', form: 'From=%2B15551234&Body=Hi' });
    expect(delivery.runs).toHaveLength(1);
    const tampered = { ...request, body: 'From=%2B15551234&Body=Ho' };
    expect((await ingress.post(ingress.path(), tampered)).status).toBe(401);
  });

  it.each([
    ['', 'empty_body'],
    ['a=%zz', 'invalid_form'],
    ['a=%ff', 'invalid_utf8'],
    ['payload=%7B', 'invalid_json'],
    [`payload=${'['.repeat(600)}${']'.repeat(600)}`, 'too_deep'],
    ['a=1&'.repeat(1001), 'invalid_form'],
  ])('rejects %s with 400 and the reason %s', async (body, reason) => {
    ingress = await start({ bodyFormat: 'form' });
    expect((await ingress.post('hook', { headers: FORM, body })).status).toBe(400);
    expect((await ingress.deliveries())[0]).toMatchObject({ label: 'Rejected (invalid JSON)', reason });
  });

  it('rejects JSON with a separate reason, and does not call it invalid JSON', async () => {
    const { body, headers } = readCase('json-to-form.json');
    ingress = await start({ bodyFormat: 'form' });
    const answer = await ingress.post('hook', { headers, body });
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('not a valid form') });
    expect((await ingress.deliveries())[0]).toMatchObject({ label: 'Rejected (invalid JSON)', reason: 'body_is_json' });
  });

  it('reads the JSON of the field that the webhook names', async () => {
    const { body } = readCase('json-in-a-form-field.json');
    ingress = await start({ bodyFormat: 'form', formField: 'mandrill_events' }, { event: ['open'] });
    expect((await ingress.post('hook', { headers: FORM, body })).status).toBe(202);
    const delivery = await readNewest();
    expect(delivery).toMatchObject({ form: body, payload: '[{"event":"open","_id":"m1"}]' });
    expect(delivery.runs).toHaveLength(1);
    expect((await ingress.post('hook', { headers: FORM, body: 'payload=%7B%7D' })).status).toBe(400);
    expect((await ingress.deliveries())[0]).toMatchObject({ reason: 'missing_form_field' });
  });

  it('reads event name and ID in the field that the webhook names', async () => {
    const webhook = { bodyFormat: 'form', formField: 'data', deliveryIdPath: '_id', event: { path: 'event' } } as const;
    ingress = await start(webhook, { event: ['open'] });
    const post = (ts: number) => {
      const fields = new URLSearchParams({ data: '{"event":"open","_id":"m1"}', ts: String(ts) });
      return ingress.post('hook', { headers: FORM, body: fields.toString() });
    };
    expect((await post(1)).status).toBe(202);
    expect(await readNewest()).toMatchObject({ deliveryId: 'm1', deliveryIdSource: 'payload', event: 'open' });
    expect((await post(2)).status).toBe(202);
    expect((await ingress.deliveries())[0]).toMatchObject({ label: 'Duplicate' });
  });

  it('names the Content-Type of a body that is not the JSON that it declares', async () => {
    ingress = await start({ bodyFormat: 'form' });
    const headers = { 'content-type': 'application/json' };
    expect((await ingress.post('hook', { headers, body: 'a=1' })).status).toBe(400);
    expect((await ingress.deliveries())[0]).toMatchObject({ reason: 'unexpected_content_type' });
  });
});

it('a JSON webhook rejects a form as before, and names bodyFormat: form', async () => {
  ingress = await start({});
  const answer = await ingress.post('hook', { headers: FORM, body: 'a=1' });
  const other = await ingress.post('hook', { body: 'a=1' });
  expect([answer.status, answer.body]).toEqual([400, other.body]);
  const [second, first] = await ingress.deliveries();
  expect(first).toMatchObject({
    label: 'Rejected (invalid JSON)',
    reason: 'body_is_form',
    detail: null,
  });
  expect(second).toMatchObject({ reason: 'invalid_json', detail: 'the byte at position 0 is 61 (a)' });
});
