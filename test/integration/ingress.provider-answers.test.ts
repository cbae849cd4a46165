import { afterEach, describe, expect, it } from 'vitest';
import { buildSenderRequest } from '../../src/ingress/sender/build-request.ts';
import { BASE_URL, startIngress, type TestIngress, type TestWebhook } from '../helpers/start-ingress.ts';

let ingress: TestIngress;

afterEach(() => ingress.close());

const TOKEN = Buffer.from('a-secret-of-32-characters-at-all').toString('base64');
const signed = (signatureScheme: string, more: Partial<TestWebhook> = {}): TestWebhook => ({
  authMode: 'signature',
  signatureScheme,
  secret: TOKEN,
  ...more,
});

/** Posts as the sender of the webhook does. */
async function send(webhook: TestWebhook, body: object | string, deliveryId: string | null = null) {
  const target = {
    ingressUrl: `${BASE_URL}${ingress.path()}`,
    authMode: webhook.authMode ?? 'token',
    signatureScheme: webhook.signatureScheme ?? null,
    signature: null,
    bodyFormat: webhook.bodyFormat ?? 'json',
    formField: null,
    deliveryIdHeader: webhook.deliveryIdHeader ?? null,
    deliveryIdPath: webhook.deliveryIdPath ?? null,
  };
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const delivery = { body: bytes, deliveryId, nowMs: ingress.clock.wallMs(), newId: () => 'generated' };
  const request = buildSenderRequest(target, webhook.secret ?? TOKEN, delivery);
  const answer = await ingress.post(request.url.slice(BASE_URL.length), request);
  return { status: answer.status, type: answer.headers['content-type'], body: answer.body };
}

const ACCEPTED = { status: 202, type: 'application/json', body: '{"delivery_id":"one"}' };
const LINEAR = { ...ACCEPTED, status: 200 };
const TEAMS = { ...LINEAR, body: '{"type":"message","text":"Received."}' };

describe('the answer to a stored delivery, and to its duplicate', () => {
  it.each([
    ['Linear', signed('linear'), LINEAR],
    ['Linear, also if its triggers are not served', signed('linear', { serves: 'none' }), LINEAR],
    ['Linear behind a relay', { serves: 'linear' }, LINEAR],
    ['Teams', signed('teams'), TEAMS],
    ['Teams behind a relay', { serves: 'teams', deliveryIdPath: 'id' }, TEAMS],
    ['Linear that posts for another provider', signed('linear', { serves: 'teams' }), LINEAR],
    ['Paddle', signed('paddle'), LINEAR],
    ['Zoom', signed('zoom'), LINEAR],
    ['GitHub', signed('github'), ACCEPTED],
    ['Slack', signed('slack'), ACCEPTED],
    ['a sender without a provider', {}, ACCEPTED],
  ] as [string, TestWebhook, object][])('is that which %s expects', async (_, webhook, answer) => {
    ingress = await startIngress({ webhooks: [{ secret: TOKEN, ...webhook }] });
    const text = { type: 'message', text: '<at>bot</at> echo this' };
    expect([await send(webhook, text, 'one'), await send(webhook, text, 'one')]).toEqual([answer, answer]);
    const logged = (await ingress.deliveries()).map(({ deliveryId, label }) => [deliveryId, label]);
    expect(logged).toEqual([
      ['one', 'Duplicate'],
      ['one', 'Accepted'],
    ]);
  });

  it('is not given to a sender that is rejected', async () => {
    ingress = await startIngress({ webhooks: [signed('teams')] });
    for (const authorization of [`Bearer ${TOKEN}`, 'HMAC AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=']) {
      expect((await ingress.post(ingress.path(), { headers: { authorization }, body: '{}' })).status).toBe(401);
    }
    expect((await send(signed('teams'), 'no JSON')).status).toBe(400);
  });
});

describe('the delivery ID in a payload', () => {
  const identify = async (webhook: TestWebhook, body: object, deliveryId: string | null = null) => {
    ingress = await startIngress({ webhooks: [{ secret: TOKEN, ...webhook }] });
    await send(webhook, body, deliveryId);
    const [delivery] = await ingress.deliveries();
    return [delivery?.deliveryIdSource, delivery?.deliveryId];
  };

  it.each([
    ['slack', { type: 'event_callback', event_id: 'Ev1', id: 'x' }, 'Ev1'],
    ['teams', { type: 'message', event_id: 'Ev1', id: '1485983408511' }, '1485983408511'],
    ['stripe', { id: 'evt_A', event_id: 'x' }, 'evt_A'],
    ['paddle', { event_id: 'evt_A', notification_id: 'ntf_1' }, 'evt_A'],
    ['box', { type: 'webhook_event', id: 'eb0c4e06' }, 'eb0c4e06'],
  ])('is read where %s has it', async (scheme, body, id) => {
    expect(await identify(signed(scheme), body)).toEqual(['payload', id]);
  });

  it('is read elsewhere if the webhook names a header or another path', async () => {
    const body = { event_id: 'Ev1', other: 'two' };
    expect(await identify(signed('slack', { deliveryIdPath: 'other' }), body)).toEqual(['payload', 'two']);
    await ingress.close();
    const named = signed('slack', { deliveryIdHeader: 'X-Event' });
    expect(await identify(named, body, 'three')).toEqual(['header', 'three']);
    await ingress.close();
    expect(await identify(named, body)).toEqual(['payload', 'Ev1']);
  });

  it('is the body if Slack sends none, for example in a slash command', async () => {
    expect(await identify(signed('slack'), { command: '/deploy' })).toEqual([
      'body_hash',
      expect.stringMatching(/^sha256:/),
    ]);
  });
});
