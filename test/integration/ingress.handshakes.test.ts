import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import {
  START_MS,
  startIngress,
  type TestAnswer,
  type TestIngress,
  type TestWebhook,
} from '../helpers/start-ingress.ts';

const SECRET = 'dock-Lm3_gangway:beacon~17';
const NOW_SECONDS = Math.floor(START_MS / 1000);
const HOOK_SECRET = 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81';
const AWAITED = 'awaiting-x-hook-secret';
const discordKey = generateKeyPairSync('ed25519');
const discordSecret = Buffer.from(discordKey.publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('hex');

const SIGNED_SCHEMES = ['slack', 'zoom', 'meta', 'dropbox', 'okta', 'microsoft_graph', 'x', 'intercom', 'github'];
const WEBHOOKS: TestWebhook[] = [
  ...SIGNED_SCHEMES.map((name) => ({ name, authMode: 'signature' as const, signatureScheme: name, secret: SECRET })),
  { name: 'whatsapp', authMode: 'signature', signatureScheme: 'meta', secret: SECRET, verifyToken: 'team-token' },
  { name: 'strava', authMode: 'url_token', secret: 'in-the-url-0123456789', verifyToken: 'team-token' },
  { name: 'discord', authMode: 'signature', signatureScheme: 'discord', secret: discordSecret },
  { name: 'asana', authMode: 'signature', signatureScheme: 'asana', secret: AWAITED },
  { name: 'asleep', authMode: 'signature', signatureScheme: 'dropbox', secret: SECRET, enabled: false },
  { name: 'plain' },
];

let ingress: TestIngress;
let adopted: string[];
beforeEach(async () => {
  adopted = [];
  const adoptSecret = async (_webhook: unknown, secret: { reveal(): string }) => {
    adopted.push(secret.reveal());
    return { ok: true } as const;
  };
  const listeners = WEBHOOKS.map(({ name }) => ({ name: `on-${name}`, webhook: name! }));
  ingress = await startIngress({ webhooks: WEBHOOKS, automations: listeners, adoptSecret });
});
afterEach(() => ingress.close());

const hmac = (text: string, key = SECRET) => createHmac('sha256', key).update(text);
const get = (name: string, query = '', headers: Record<string, string> = {}) =>
  ingress.post(`${ingress.path(name)}${query}`, { method: 'GET', headers });

function signSlack(body: string, signedAs = body): Record<string, string> {
  const signature = `v0=${hmac(`v0:${NOW_SECONDS}:${signedAs}`).digest('hex')}`;
  return { 'x-slack-signature': signature, 'x-slack-request-timestamp': String(NOW_SECONDS) };
}

function signZoom(body: string): Record<string, string> {
  const signature = `v0=${hmac(`v0:${NOW_SECONDS}:${body}`).digest('hex')}`;
  return { 'x-zm-signature': signature, 'x-zm-request-timestamp': String(NOW_SECONDS) };
}

const slackBody = JSON.stringify({ type: 'url_verification', token: 'T', challenge: 'abc' });
const hubQuery = (token: string) => `?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`;

function expectText(answer: TestAnswer, body: string): void {
  expect(answer).toMatchObject({ status: 200, body });
  expect(answer.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': String(body.length),
  });
}

async function expectLogged(name: string, handshake: string, ...outcomes: string[]): Promise<void> {
  const rows = await ingress.handshakes(name);
  expect(rows.map((row) => row.outcome)).toEqual(outcomes);
  for (const row of rows) {
    expect(row).toMatchObject({ handshake, webhookUid: ingress.uid(name), receivedAt: START_MS, count: 1 });
    expect(row.clientAddress).toBe('127.0.0.1');
  }
}

describe('a handshake', () => {
  it('of Slack is answered after its signature was verified, and is never a delivery', async () => {
    for (let i = 0; i < 3; i++) {
      expectText(await ingress.post(ingress.path('slack'), { body: slackBody, headers: signSlack(slackBody) }), 'abc');
    }
    await expectLogged('slack', 'slack url_verification', 'answered', 'answered', 'answered');
    expect(await ingress.deliveries('slack')).toEqual([]);
    expect(ingress.seen).toMatchObject({ labels: [], wakened: [], handshakes: ['answered', 'answered', 'answered'] });
  });

  it('of Slack without a valid signature is an unsigned request', async () => {
    expect((await ingress.post(ingress.path('slack'), { body: slackBody })).status).toBe(401);
    const forged = signSlack(slackBody, 'something else');
    expect((await ingress.post(ingress.path('slack'), { body: slackBody, headers: forged })).status).toBe(401);
    await expectLogged('slack', 'slack url_verification');
    expect((await ingress.deliveries('slack')).map(({ label }) => label)).toEqual([
      'Rejected (auth)',
      'Rejected (auth)',
    ]);
  });

  it('that is not exact is handled as a delivery', async () => {
    const body = JSON.stringify({ type: 'url_verification', token: 'T', challenge: 'abc', event: {} });
    expect((await ingress.post(ingress.path('slack'), { body, headers: signSlack(body) })).status).toBe(202);
    expect((await ingress.deliveries('slack')).map(({ label }) => label)).toEqual(['Accepted']);
    expect(ingress.seen.wakened).toHaveLength(1);
  });

  it('of Intercom is a HEAD, answered on a webhook of Intercom and nowhere else', async () => {
    const head = (name: string, query = '') => ingress.post(`${ingress.path(name)}${query}`, { method: 'HEAD' });
    expect(await head('intercom')).toMatchObject({ status: 200, body: '' });
    await expectLogged('intercom', 'intercom HEAD', 'answered');
    for (const name of ['dropbox', 'github', 'nobody']) expect((await head(name)).status, name).toBe(405);
    expect((await head('intercom', '?a=b')).status).toBe(405);
    expect((await get('intercom')).status).toBe(405);
    expect(await ingress.deliveries('intercom')).toEqual([]);
  });

  it('of Zoom is answered with the digest of its token', async () => {
    const body = JSON.stringify({ payload: { plainToken: 'qgg8vlv' }, event_ts: 1, event: 'endpoint.url_validation' });
    const answer = await ingress.post(ingress.path('zoom'), { body, headers: signZoom(body) });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({ plainToken: 'qgg8vlv', encryptedToken: hmac('qgg8vlv').digest('hex') });
    expect((await ingress.post(ingress.path('zoom'), { body })).status).toBe(401);
  });

  it('of Meta is answered only for the correct verify token, and a wrong one reveals nothing', async () => {
    expectText(await get('whatsapp', hubQuery('team-token')), '1158201444');
    const unknown = await get('nobody', hubQuery('team-token'));
    const { date: _, ...headers } = unknown.headers;
    for (const answer of [await get('whatsapp', hubQuery('guess')), await get('meta', hubQuery('team-token'))]) {
      expect(answer).toMatchObject({ status: 405, body: unknown.body, headers });
    }
    await expectLogged('whatsapp', 'meta hub.challenge', 'refused', 'answered');
  });

  it('of Strava needs the token in the URL and the verify token', async () => {
    const right = `/in-the-url-0123456789${hubQuery('team-token')}`;
    expect(await get('strava', right)).toMatchObject({ status: 200, body: '{"hub.challenge":"1158201444"}' });
    for (const wrong of [hubQuery('team-token'), `/guess${hubQuery('team-token')}`, right.replace('team-', '')]) {
      expect((await get('strava', wrong)).status, wrong).toBe(405);
    }
    expect((await get('whatsapp', `/in-the-url${hubQuery('team-token')}`)).status).toBe(405);
  });

  it('of CloudEvents is answered with origin and rate if the token in the URL is correct', async () => {
    const options = (
      to: string,
      headers: Record<string, string> = { 'webhook-request-origin': 'eventgrid.azure.net' },
    ) => ingress.post(to, { method: 'OPTIONS', headers: { 'webhook-request-rate': '120', ...headers } });
    const path = `${ingress.path('strava')}/in-the-url-0123456789`;
    const answer = await options(path);
    expect([answer.status, answer.body]).toEqual([200, '']);
    expect(answer.headers).toMatchObject({
      allow: 'POST',
      'webhook-allowed-origin': 'eventgrid.azure.net',
      'webhook-allowed-rate': '60',
    });
    await expectLogged('strava', 'cloudevents OPTIONS', 'answered');
    for (const wrong of [ingress.path('strava'), `${ingress.path('strava')}/guess`, ingress.path('plain')]) {
      const refused = await options(wrong);
      expect([refused.status, refused.headers.allow], wrong).toEqual([405, 'POST']);
    }
    for (const headers of [{}, { 'webhook-request-origin': '' }, { 'webhook-request-origin': 'a b' }]) {
      expect((await options(path, headers as Record<string, string>)).status).toBe(405);
    }
  });

  it('of Dropbox is answered with its challenge', async () => {
    expectText(await get('dropbox', '?challenge=abc-123_'), 'abc-123_');
    await expectLogged('dropbox', 'dropbox challenge', 'answered');
  });

  it('of Okta is answered if the Authorization is correct', async () => {
    const challenge = { 'x-okta-verification-challenge': 'Aw2' };
    const answer = await get('okta', '', { ...challenge, authorization: SECRET });
    expect(answer).toMatchObject({ status: 200, body: '{"verification":"Aw2"}' });
    expect((await get('okta', '', challenge)).status).toBe(405);
    await expectLogged('okta', 'okta verification', 'refused', 'answered');
  });

  it('of X is answered with the digest of its token, and that digest signs no delivery', async () => {
    const answer = await get('x', '?crc_token=M2RkODJk&nonce=MTc2');
    const { response_token: token } = JSON.parse(answer.body);
    expect(token).toBe(`sha256=${hmac('M2RkODJk').digest('base64')}`);
    const replayed = { body: 'M2RkODJk', headers: { 'x-twitter-webhooks-signature': token } };
    expect((await ingress.post(ingress.path('x'), replayed)).status).toBe(401);

    const body = '{"direct_message_events": []}';
    const signature = `sha256=${hmac(body).digest('base64')}`;
    const delivery = { body, headers: { 'x-twitter-webhooks-signature': signature } };
    expect((await ingress.post(ingress.path('x'), delivery)).status).toBe(202);
  });

  it('of Microsoft Graph is answered with the decoded token', async () => {
    const path = `${ingress.path('microsoft_graph')}?validationToken=Validation%3a+Testing+reachability`;
    expectText(await ingress.post(path), 'Validation: Testing reachability');
    expect((await ingress.post(path, { body: '{"value":[]}' })).status).toBe(401);
  });

  it('of Discord is answered with the response for its kind of PING', async () => {
    const send = (body: string) => {
      const signature = sign(null, Buffer.from(`${NOW_SECONDS}${body}`), discordKey.privateKey).toString('hex');
      const headers = { 'x-signature-ed25519': signature, 'x-signature-timestamp': String(NOW_SECONDS) };
      return ingress.post(ingress.path('discord'), { body, headers });
    };
    const interaction = JSON.stringify({ version: 1, application_id: '1', type: 1, id: '2', token: 't' });
    expect(await send(interaction)).toMatchObject({ status: 200, body: '{"type":1}' });
    const event = await send('{"version":1,"application_id":"1","type":0}');
    expect(event).toMatchObject({ status: 204, body: '' });
    expect((await ingress.post(ingress.path('discord'), { body: interaction })).status).toBe(401);
  });

  it('of Asana supplies the secret once; no signature with the placeholder is valid', async () => {
    const introduce = () => ingress.post(ingress.path('asana'), { headers: { 'x-hook-secret': HOOK_SECRET } });
    expect(await introduce()).toMatchObject({ status: 200, headers: { 'x-hook-secret': HOOK_SECRET }, body: '' });
    expect(adopted).toEqual([HOOK_SECRET]);
    const forged = {
      body: '{"events":[]}',
      headers: { 'x-hook-signature': hmac('{"events":[]}', AWAITED).digest('hex') },
    };
    expect((await ingress.post(ingress.path('asana'), forged)).status).toBe(401);

    await ingress.apply(WEBHOOKS.map((it) => (it.name === 'asana' ? { ...it, secret: HOOK_SECRET } : it)));
    expect((await introduce()).status).toBe(401);
    expect(adopted).toHaveLength(1);
    await expectLogged('asana', 'asana X-Hook-Secret', 'refused', 'adopted');
  });

  it('is recognized only with its own scheme', async () => {
    const requests: [string, Record<string, string>][] = [
      ['?challenge=abc', {}],
      [hubQuery('team-token'), {}],
      ['?crc_token=abc', {}],
      ['', { 'x-okta-verification-challenge': 'a', authorization: SECRET }],
    ];
    for (const name of ['slack', 'zoom', 'github', 'plain', 'discord', 'asana', 'asleep', 'nobody']) {
      for (const [query, headers] of requests) {
        const answer = await get(name, query, headers);
        expect(answer, `${name} ${query}`).toMatchObject({ status: 405, headers: { allow: 'POST' } });
      }
    }
    expect(ingress.seen.handshakes).toEqual([]);
  });

  it('with HEAD, PUT or a wrong path is not recognized', async () => {
    const path = `${ingress.path('dropbox')}?challenge=abc`;
    for (const method of ['HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      expect((await ingress.post(path, { method })).status, method).toBe(405);
    }
    expect((await get('dropbox', '/token?challenge=abc')).status).toBe(405);
    expect((await ingress.post('/elsewhere?challenge=abc', { method: 'GET' })).status).toBe(404);
  });
});

describe('a SubscriptionConfirmation of SNS', () => {
  const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms';
  const URL = `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=ab12`;
  const message = { Type: 'SubscriptionConfirmation', TopicArn: TOPIC, Token: 'ab12', SubscribeURL: URL };
  const headers = { 'x-amz-sns-message-type': 'SubscriptionConfirmation' };
  let fetched: string[];
  let answer: (status: number) => void;

  /** A header decides whether the signature is valid, because only AWS has its key. */
  async function startSns(): Promise<void> {
    fetched = [];
    await ingress.close();
    const sns: TestWebhook = { name: 'sns', authMode: 'signature', signatureScheme: 'sns', secret: TOPIC };
    const fetchStatus = (url: string, signal: AbortSignal) => {
      fetched.push(url);
      return new Promise<number>((resolve) => {
        answer = resolve;
        signal.addEventListener('abort', () => resolve(0));
      });
    };
    ingress = await startIngress({ webhooks: [sns], fetchStatus });
    const { registry } = ingress.context;
    const live = registry.current().webhooks.get(ingress.uid('sns'))!;
    const verify = (request: { headers: { get(name: string): string | undefined } }) =>
      request.headers.get('x-good') === undefined
        ? ({ ok: false, reason: 'bad_signature', detail: null } as const)
        : ({ ok: true, family: 'sns', identity: null } as const);
    registry.replaceFactory(live.factory, [{ ...live, credential: { mode: 'signature', verify } }]);
  }

  const post = (body: object, more: Record<string, string> = {}) =>
    ingress.post(ingress.path('sns'), { body: JSON.stringify(body), headers: { ...headers, ...more } });

  it('that was verified is answered immediately, and its URL is fetched in the background', async () => {
    await startSns();
    expect(await post(message, { 'x-good': '1' })).toMatchObject({ status: 200, body: '' });
    expect(fetched).toEqual([URL]);
    expect(ingress.seen.handshakes).toEqual([]);
    answer(200);
    await eventually(() => ingress.seen.handshakes.length === 1);
    await expectLogged('sns', 'sns SubscriptionConfirmation', 'confirmed');
    expect(await ingress.deliveries('sns')).toEqual([]);
  });

  it('that could not be confirmed is logged with the reason', async () => {
    await startSns();
    await post(message, { 'x-good': '1' });
    answer(403);
    await eventually(() => ingress.seen.handshakes.length === 1);
    expect((await ingress.handshakes('sns'))[0]).toMatchObject({
      outcome: 'failed',
      detail: expect.stringContaining('403'),
    });
  });

  it('that did not verify, or has another host, is never fetched', async () => {
    await startSns();
    expect((await post(message)).status).toBe(401);
    const elsewhere = { ...message, SubscribeURL: URL.replace('sns.eu', 'evil.eu') };
    expect((await post(elsewhere, { 'x-good': '1' })).status).toBe(202);
    expect(fetched).toEqual([]);
  });

  it('differs from the end of a subscription, which is logged, fetches nothing and starts nothing', async () => {
    await startSns();
    const ended = { ...message, Type: 'UnsubscribeConfirmation' };
    expect((await post(ended)).status).toBe(401);
    for (const type of ['UnsubscribeConfirmation', 'Notification', 'SubscriptionConfirmation']) {
      const answered = await post(ended, { 'x-good': '1', 'x-amz-sns-message-type': type });
      expect(answered, type).toMatchObject({ status: 200, body: '' });
    }
    expect(fetched).toEqual([]);
    await eventually(() => ingress.seen.handshakes.length === 3);
    expect((await ingress.handshakes('sns'))[0]).toMatchObject({
      handshake: 'sns UnsubscribeConfirmation',
      outcome: 'answered',
      detail: expect.stringContaining('subscription was deleted'),
    });
    expect(await ingress.deliveries('sns')).toMatchObject([{ label: 'Rejected (auth)' }]);
  });

  it('is postponed while four others are in progress', async () => {
    await startSns();
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await post(message, { 'x-good': '1' })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 503]);
    expect(fetched).toHaveLength(4);
  });
});

describe('a flood of handshakes', () => {
  it('is limited by the budget of requests without credentials, and does not block deliveries', async () => {
    const answers = [];
    for (let i = 0; i < 40; i++) answers.push((await get('x', '?crc_token=abc')).status);
    expect(answers.filter((status) => status === 200)).toHaveLength(30);
    expect(answers.slice(30).every((status) => status === 429)).toBe(true);
    const signature = `sha256=${hmac('{}').digest('base64')}`;
    const delivery = { body: '{}', headers: { 'x-twitter-webhooks-signature': signature } };
    expect((await ingress.post(ingress.path('x'), delivery)).status).toBe(202);
  });

  it('with signatures counts against the delivery rate', async () => {
    const statuses = [];
    // A webhook of a provider accepts 600 deliveries per minute.
    for (let i = 0; i < 602; i++) {
      statuses.push(
        (await ingress.post(ingress.path('slack'), { body: slackBody, headers: signSlack(slackBody) })).status,
      );
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(600);
    expect(statuses.slice(600)).toEqual([429, 429]);
  });

  it('of rejected ones writes sixty rows per minute and summarizes the others', async () => {
    for (let i = 0; i < 70; i++) await get('whatsapp', hubQuery('guess'));
    expect(await ingress.handshakes('whatsapp')).toHaveLength(60);
    ingress.clock.advance(60_000);
    ingress.context.handshakeRows.flush(ingress.clock.monotonicMs());
    const rows = await ingress.handshakes('whatsapp');
    expect(rows).toHaveLength(61);
    expect(rows[0]).toMatchObject({
      outcome: 'refused',
      count: 10,
      detail: expect.stringContaining('10 more handshakes'),
    });
    expectText(await get('whatsapp', hubQuery('team-token')), '1158201444');
  });
});
