import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findScheme } from '../schemes/schemes.ts';
import type { HandshakeReply, HandshakeRequest, WebhookAuth } from './handshake.ts';
import { compileHandshakes, HANDSHAKES } from './handshakes.ts';

const SECRET = 'dock-Lm3_gangway:beacon~17';
const VERIFY_TOKEN = 'pläcé holder';
const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms';
const HOOK_SECRET = 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81';
const SUBSCRIBE_URL = `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336412f37`;

/** The parts of a request; a body that is not a text is sent as JSON. */
interface Request {
  method?: 'HEAD' | 'OPTIONS';
  query?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

function toHandshakeRequest({ query = '', headers = {}, body }: Request): HandshakeRequest {
  const bytes = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const fields = new Map(Object.entries(headers));
  return {
    query,
    headers: { get: (name) => fields.get(name) },
    body: Buffer.from(bytes),
    payload: body,
    deliveriesPerMinute: 60,
  };
}

function ownerOf(scheme: string | null): WebhookAuth {
  return { authMode: scheme === null ? 'url_token' : 'signature', signatureScheme: scheme };
}

/** The reply of a webhook with this scheme, in any phase that the method allows. */
function ask(scheme: string | null, request: Request, secret = SECRET, token: string | null = VERIFY_TOKEN) {
  const handshakes = compileHandshakes(ownerOf(scheme), secret, token).filter(
    ({ phase }) =>
      (phase === 'head') === (request.method === 'HEAD') && (phase === 'options') === (request.method === 'OPTIONS'),
  );
  const replies = handshakes.map((it) => it.respond(toHandshakeRequest(request)));
  return replies.find((reply) => reply !== null) ?? null;
}

const bodyOf = (reply: HandshakeReply | null) => (reply === null || reply.do === 'reject' ? null : reply.answer.body);

const slack = { type: 'url_verification', token: 'Jhj5dZrVaK7ZwHHjRyZWjbDl', challenge: '3eZbrw1aBm2rZgRNFdxV2595' };
const zoom = { event: 'endpoint.url_validation', event_ts: 1654503849680, payload: { plainToken: 'qgg8vlvZRS6UYoo' } };
const hub = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': VERIFY_TOKEN };
const discordPing = { version: 1, application_id: '1234567890', type: 0 };
const interactionPing = { version: 1, application_id: '1234567890', type: 1, id: '1', token: 't', entitlements: [] };
const sns = {
  Type: 'SubscriptionConfirmation',
  MessageId: 'm',
  Message: 'You have chosen',
  TopicArn: TOPIC,
  Token: '2336412f37',
  SubscribeURL: SUBSCRIBE_URL,
  SignatureVersion: '1',
  Signature: 's',
};
const snsHeaders = { 'x-amz-sns-message-type': 'SubscriptionConfirmation' };
const okta = { 'x-okta-verification-challenge': 'Aw2_x9', authorization: SECRET };
const query = (values: Record<string, string>) => new URLSearchParams(values).toString();

/** The exact request of each row, by its name. */
const EXACT: Record<string, Request> = {
  'asana X-Hook-Secret': { headers: { 'x-hook-secret': HOOK_SECRET }, body: '{}' },
  'cloudevents OPTIONS': { method: 'OPTIONS', headers: { 'webhook-request-origin': 'eventgrid.azure.net' } },
  'discord PING': { body: interactionPing },
  'dropbox challenge': { query: 'challenge=ABC-123_x' },
  'intercom HEAD': { method: 'HEAD' },
  'meta hub.challenge': { query: query(hub) },
  'microsoft_graph validationToken': {
    query: 'validationToken=Validation%3a+Testing+client+application+reachability+for+subscription+Request-Id%3a+1d0e',
  },
  'okta verification': { headers: okta },
  'slack url_verification': { body: slack },
  'sns SubscriptionConfirmation': { headers: snsHeaders, body: sns },
  'sns UnsubscribeConfirmation': { body: { ...sns, Type: 'UnsubscribeConfirmation' } },
  'strava hub.challenge': { query: query(hub) },
  'x crc': { query: 'crc_token=M2RkODJkZmMtYjlkYi00NmQ4&nonce=MTc2OTUxODI5MjkxNA' },
  'zoom endpoint.url_validation': { body: zoom },
};

const secretOf = (scheme: string | null) => (scheme === 'asana' ? 'awaiting-x-hook-secret' : SECRET);

describe('the table of handshakes', () => {
  it('has existing schemes and unique names', () => {
    expect(new Set(HANDSHAKES.map(({ name }) => name)).size).toBe(HANDSHAKES.length);
    for (const { scheme } of HANDSHAKES) expect(scheme === null || findScheme(scheme), String(scheme)).toBeTruthy();
  });

  it.each(HANDSHAKES.map((row) => [row.name, row] as const))('answers %s on a webhook of its scheme', (name, row) => {
    const reply = ask(row.scheme, EXACT[name]!, secretOf(row.scheme));
    expect(reply, name).not.toBeNull();
    expect(reply!.do).not.toBe('reject');
  });

  it.each(HANDSHAKES.map((row) => [row.name, row] as const))(
    'does not answer %s on a webhook of another scheme',
    (name, row) => {
      const others = [null, 'github', 'stripe', ...HANDSHAKES.map(({ scheme }) => scheme)].filter(
        // Meta and Strava send the same request; only the webhook distinguishes them.
        (scheme) =>
          scheme !== row.scheme && !(name.endsWith('hub.challenge') && (scheme === 'meta' || scheme === null)),
      );
      for (const other of others) expect(ask(other, EXACT[name]!, secretOf(other)), String(other)).toBeNull();
      expect(compileHandshakes({ authMode: 'token', signatureScheme: null }, SECRET, VERIFY_TOKEN)).toEqual([]);
    },
  );

  it('answers in a form that browsers do not interpret', () => {
    for (const row of HANDSHAKES) {
      const reply = ask(row.scheme, EXACT[row.name]!, secretOf(row.scheme));
      if (reply === null || reply.do === 'reject' || reply.answer.mediaType === null) continue;
      expect(reply.answer.mediaType).toMatch(/^(text\/plain; charset=utf-8|application\/json)$/);
      expect(reply.answer.headers).toEqual(['X-Content-Type-Options', 'nosniff']);
    }
  });

  it.each<[string | null, string, Request]>([
    ['slack', slack.challenge, { body: slack }],
    ['meta', '1158201444', { query: query(hub) }],
    [null, '{"hub.challenge":"1158201444"}', { query: query(hub) }],
    ['dropbox', 'ABC-123_x', { query: 'challenge=ABC-123_x' }],
    ['okta', '{"verification":"Aw2_x9"}', { headers: okta }],
    ['microsoft_graph', 'Validation: a (b)', { query: 'validationToken=Validation%3A%20a+(b)' }],
    ['discord', '{"type":1}', { body: interactionPing }],
    ['discord', '{"type":1}', { body: { id: '787053080478613555', token: 't', type: 1, version: 1 } }],
    ['discord', '', { body: discordPing }],
    ['intercom', '', { method: 'HEAD' }],
  ])('answers %s with %s', (scheme, body, request) => {
    expect(bodyOf(ask(scheme, request))).toBe(body);
  });

  it('answers a PING of Discord with a media type, which Discord requires even without a body', () => {
    expect(ask('discord', { body: discordPing })).toMatchObject({
      answer: { status: 204, headers: ['Content-Type', 'application/json'] },
    });
  });

  it('answers Zoom and X with the digest that they compute themselves', () => {
    const hmac = (text: string) => createHmac('sha256', SECRET).update(text);
    expect(JSON.parse(bodyOf(ask('zoom', { body: zoom }))!)).toEqual({
      plainToken: 'qgg8vlvZRS6UYoo',
      encryptedToken: hmac('qgg8vlvZRS6UYoo').digest('hex'),
    });
    expect(JSON.parse(bodyOf(ask('x', { query: 'crc_token=abc_D' }))!)).toEqual({
      response_token: `sha256=${hmac('abc_D').digest('base64')}`,
    });
  });

  it('accepts a secret of Asana only in place of the placeholder, and returns it', () => {
    const request = EXACT['asana X-Hook-Secret']!;
    expect(ask('asana', request, 'awaiting-x-hook-secret')).toMatchObject({
      do: 'adopt',
      secretText: HOOK_SECRET,
      answer: { status: 200, headers: ['X-Hook-Secret', HOOK_SECRET], body: '' },
    });
    expect(ask('asana', request, 'the secret that it has')).toMatchObject({ do: 'reject' });
    const placeholder = { headers: { 'x-hook-secret': 'awaiting-x-hook-secret' } };
    expect(ask('asana', placeholder, 'awaiting-x-hook-secret')).toMatchObject({ do: 'reject' });
  });

  it('rejects a wrong verify token or Authorization, and answers none if the webhook names no verify token', () => {
    const wrong = { query: query({ ...hub, 'hub.verify_token': 'guess' }) };
    expect(ask('meta', wrong)).toMatchObject({ do: 'reject' });
    expect(ask(null, wrong)).toMatchObject({ do: 'reject' });
    expect(ask('meta', { query: query(hub) }, SECRET, null)).toBeNull();
    expect(ask('meta', { query: query({ ...hub, 'hub.verify_token': '' }) }, SECRET, null)).toBeNull();
    expect(ask('okta', { headers: { ...okta, authorization: 'guess' } })).toMatchObject({ do: 'reject' });
    expect(ask('okta', { headers: { 'x-okta-verification-challenge': 'a' } })).toMatchObject({ do: 'reject' });
  });
});

describe('a request that is almost a handshake is not one', () => {
  it.each<[string, string | null, Request]>([
    ['another type', 'slack', { body: { ...slack, type: 'event_callback' } }],
    ['one key more', 'slack', { body: { ...slack, event: {} } }],
    ['one key less', 'slack', { body: { type: slack.type, challenge: slack.challenge } }],
    ['a challenge that is not a text', 'slack', { body: { ...slack, challenge: 5 } }],
    ['a challenge with markup', 'slack', { body: { ...slack, challenge: '<script>' } }],
    ['a challenge of 256 characters', 'slack', { body: { ...slack, challenge: 'a'.repeat(256) } }],
    ['an empty challenge', 'slack', { body: { ...slack, challenge: '' } }],
    ['a list', 'slack', { body: [slack] }],
    ['another event', 'zoom', { body: { ...zoom, event: 'meeting.started' } }],
    ['a token that is a content', 'zoom', { body: { ...zoom, payload: { plainToken: 'v0:1654503849:{}' } } }],
    ['a token that is a number', 'zoom', { body: { ...zoom, payload: { plainToken: '12345' } } }],
    ['a payload with more', 'zoom', { body: { ...zoom, payload: { plainToken: 'abc', object: {} } } }],
    ['a time that is a text', 'zoom', { body: { ...zoom, event_ts: '1654503849680' } }],
    ['another mode', 'meta', { query: query({ ...hub, 'hub.mode': 'unsubscribe' }) }],
    ['one parameter more', 'meta', { query: `${query(hub)}&x=1` }],
    ['one parameter twice', 'meta', { query: `${query(hub)}&hub.challenge=2` }],
    ['no challenge', 'meta', { query: query({ 'hub.mode': 'subscribe', 'hub.verify_token': VERIFY_TOKEN }) }],
    ['markup', 'meta', { query: query({ ...hub, 'hub.challenge': '<b>' }) }],
    ['a line break', 'dropbox', { query: 'challenge=a%0d%0ab' }],
    ['a query', 'intercom', { method: 'HEAD', query: 'a=b' }],
    ['one parameter more', 'dropbox', { query: 'challenge=a&b=c' }],
    ['another parameter', 'dropbox', { query: 'Challenge=a' }],
    ['no value', 'dropbox', { query: 'challenge=' }],
    ['a query too long', 'dropbox', { query: `challenge=${'%61'.repeat(700)}` }],
    ['a query next to the header', 'okta', { query: 'a=b', headers: okta }],
    ['no header', 'okta', { headers: { authorization: SECRET } }],
    ['a challenge with a quote', 'okta', { headers: { ...okta, 'x-okta-verification-challenge': '"' } }],
    ['a body', 'microsoft_graph', { query: 'validationToken=a', body: '{}' }],
    ['markup', 'microsoft_graph', { query: 'validationToken=%3Cscript%3E' }],
    ['a line break', 'microsoft_graph', { query: 'validationToken=a%0Ab' }],
    ['513 characters', 'microsoft_graph', { query: `validationToken=${'a'.repeat(513)}` }],
    ['a JSON object', 'x', { query: query({ crc_token: '{"a":1}' }) }],
    ['a JSON number', 'x', { query: 'crc_token=-12e5' }],
    ['a JSON word', 'x', { query: 'crc_token=true' }],
    ['only a nonce', 'x', { query: 'nonce=abc' }],
    ['another parameter', 'x', { query: 'crc_token=abc&foo=1' }],
    ['256 characters', 'x', { query: `crc_token=${'a'.repeat(256)}` }],
    ['a short secret', 'asana', { headers: { 'x-hook-secret': 'short' } }],
    ['a secret with a blank', 'asana', { headers: { 'x-hook-secret': `${HOOK_SECRET} x` } }],
    ['a body', 'asana', { headers: { 'x-hook-secret': HOOK_SECRET }, body: { events: [] } }],
    ['a signature', 'asana', { headers: { 'x-hook-secret': HOOK_SECRET, 'x-hook-signature': 'a' } }],
    ['another type', 'discord', { body: { ...interactionPing, type: 2 } }],
    ['a type that is a text', 'discord', { body: { ...interactionPing, type: '1' } }],
    ['data', 'discord', { body: { ...interactionPing, data: {} } }],
    ['an event', 'discord', { body: { ...discordPing, event: {} } }],
    ['an event of type 1', 'discord', { body: { ...discordPing, type: 1, event: {} } }],
    ['an application that is not an ID', 'discord', { body: { ...discordPing, application_id: 'a' } }],
    ['another header', 'sns', { headers: { 'x-amz-sns-message-type': 'Notification' }, body: sns }],
    ['another type', 'sns', { headers: snsHeaders, body: { ...sns, Type: 'Notification' } }],
  ])('%s (%s)', (_what, scheme, request) => {
    expect(ask(scheme, request, secretOf(scheme))).toBeNull();
  });
});

describe('the URL that SNS asks to fetch', () => {
  const confirm = (more: Record<string, unknown>) => ask('sns', { headers: snsHeaders, body: { ...sns, ...more } });
  const withUrl = (url: string) => confirm({ SubscribeURL: url });

  it('is one of SNS in the region of the topic', () => {
    expect(confirm({})).toMatchObject({ do: 'confirm', url: SUBSCRIBE_URL, answer: { status: 200, body: '' } });
    const chinese = TOPIC.replace('arn:aws:', 'arn:aws-cn:').replace('eu-central-1', 'cn-north-1');
    const url = `https://sns.cn-north-1.amazonaws.com.cn/?Action=ConfirmSubscription&TopicArn=${encodeURIComponent(chinese)}&Token=2336412f37`;
    expect(confirm({ TopicArn: chinese, SubscribeURL: url })).toMatchObject({ do: 'confirm', url });
  });

  it.each([
    SUBSCRIBE_URL.replace('https:', 'http:'),
    SUBSCRIBE_URL.replace('.com/', '.com.evil.example/'),
    SUBSCRIBE_URL.replace('.com/', '.com:8443/'),
    SUBSCRIBE_URL.replace('https://', 'https://user@'),
    SUBSCRIBE_URL.replace('https://sns.', 'https://evil.example/sns.'),
    SUBSCRIBE_URL.replace('eu-central-1.amazonaws', 'us-east-1.amazonaws'),
    SUBSCRIBE_URL.replace('.com/?', '.com/path?'),
    SUBSCRIBE_URL.replace('https://sns.eu-central-1.amazonaws.com', 'https://169.254.169.254'),
    SUBSCRIBE_URL.replace('ConfirmSubscription', 'Publish'),
    SUBSCRIBE_URL.replace('alarms', 'other'),
    SUBSCRIBE_URL.replace('2336412f37', 'another'),
    `${SUBSCRIBE_URL}&Action=Publish`,
    `${SUBSCRIBE_URL}#x`,
    `${SUBSCRIBE_URL}\\@evil.example`,
    `${SUBSCRIBE_URL}\n`,
    'file:///etc/passwd',
    '',
  ])('is never %s', (url) => {
    expect(withUrl(url)).toBeNull();
  });
});
