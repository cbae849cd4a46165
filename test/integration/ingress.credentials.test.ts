import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type RawAnswer, withoutDate } from '../helpers/raw-connection.ts';
import { startIngress, type TestIngress, TOKEN } from '../helpers/start-ingress.ts';

const UNAUTHORIZED = '{"type":"about:blank","title":"Unauthorized","status":401}';
const WEBHOOKS = [
  { name: 'token' },
  { name: 'url', authMode: 'url_token' as const },
  { name: 'signed', authMode: 'signature' as const, signatureScheme: 'github' },
];

let ingress: TestIngress;

afterEach(() => ingress.close());

async function send(target: string, lines: string[]): Promise<RawAnswer | null> {
  const head = [`POST ${target} HTTP/1.1`, 'Host: hooks', ...lines, 'Content-Length: 2'];
  const connection = await ingress.connect();
  return withoutDate(await connection.send(`${head.join('\r\n')}\r\n\r\n{}`).readAnswer());
}

it('missing, malformed and wrong credentials get the same 401 in all three modes; the log shows the reason', async () => {
  ingress = await startIngress({ webhooks: WEBHOOKS });
  const [token, url, signed] = ['token', 'url', 'signed'].map((name) => ingress.path(name)) as [string, string, string];
  const cases: [webhook: string, target: string, lines: string[], reason: string][] = [
    ['token', token, [], 'missing_credential'],
    ['token', token, ['Authorization:'], 'missing_credential'],
    ['token', token, ['Authorization: Bearer '], 'missing_credential'],
    ['token', token, [`Authorization: ${TOKEN}`], 'malformed_credential'],
    ['token', token, [`Authorization: Basic ${TOKEN}`], 'malformed_credential'],
    ['token', token, [`Authorization: Bearer${TOKEN}`], 'malformed_credential'],
    ['token', token, ['Authorization: Bearer wrong'], 'bad_credential'],
    ['token', token, [`Authorization: Bearer ${TOKEN.slice(0, -1)}`], 'bad_credential'],
    ['token', token, [`Authorization: Bearer ${TOKEN}0`], 'bad_credential'],
    ['token', token, [`Authorization: Bearer ${TOKEN.toUpperCase()}`], 'bad_credential'],
    ['token', token, [`Authorization: Bearer ${TOKEN}`, `Authorization: Bearer ${TOKEN}`], 'bad_credential'],
    ['token', token, [`X-Authorization: Bearer ${TOKEN}`], 'missing_credential'],
    ['url', url, [`Authorization: Bearer ${TOKEN}`], 'missing_credential'],
    ['url', `${url}/wrong`, [], 'bad_credential'],
    ['url', `${url}/${TOKEN.replace('d', '%64')}`, [], 'encoded_token'],
    ['url', `${url}/${TOKEN}%7E`, [], 'bad_credential'],
    ['url', `${url}/${TOKEN}%`, [], 'bad_credential'],
    ['signed', signed, [], 'missing_credential'],
    ['signed', signed, [`Authorization: Bearer ${TOKEN}`], 'missing_credential'],
    ['signed', signed, ['X-Hub-Signature-256: sha256='], 'missing_credential'],
    ['signed', signed, ['X-Hub-Signature-256: sha256=00'], 'malformed_signature'],
    ['signed', signed, [`X-Hub-Signature-256: sha256=${'0'.repeat(64)}`], 'bad_signature'],
  ];
  for (const [webhook, target, lines, reason] of cases) {
    expect(await send(target, lines)).toEqual({
      status: 401,
      head: [
        'HTTP/1.1 401 Unauthorized',
        'Content-Type: application/problem+json',
        `Content-Length: ${UNAUTHORIZED.length}`,
        'WWW-Authenticate: Bearer',
        'Connection: keep-alive',
        'Keep-Alive: timeout=5, max=1000',
      ].join('\r\n'),
      body: UNAUTHORIZED,
    });
    const [newest] = await ingress.deliveries(webhook);
    expect([lines, newest]).toMatchObject([lines, { label: 'Rejected (auth)', reason, clientAddress: '127.0.0.1' }]);
    expect(await ingress.storage.deliveryReader.payload(newest!.id)).toBeNull();
  }
});

it('the bearer scheme is case-insensitive, the token is case-sensitive', async () => {
  ingress = await startIngress();
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR  ']) {
    expect((await send(ingress.path(), [`Authorization: ${scheme} ${TOKEN}`]))?.status).toBe(202);
  }
});

it('a url token authenticates as a path segment', async () => {
  ingress = await startIngress({ webhooks: WEBHOOKS });
  expect((await send(`${ingress.path('url')}/${TOKEN}?x`, []))?.status).toBe(202);
});

it('failures beyond the budget of a webhook and address get 429, write no row, and do not affect valid senders', async () => {
  ingress = await startIngress({
    webhooks: [...WEBHOOKS, { name: 'other' }],
    limits: { failedAuthPerMinute: 3 },
    trustedProxies: ['127.0.0.1'],
  });
  const fail = (name: string, address = '192.0.2.1') =>
    ingress.post(ingress.path(name), { headers: { 'x-forwarded-for': address } });
  for (const name of ['token', 'url', 'signed']) {
    for (let i = 0; i < 3; i++) {
      expect((await fail(name)).status).toBe(401);
      ingress.clock.advance(1_000);
    }
    const refused = await fail(name);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '57' } });
    expect(refused.body).toBe('{"type":"about:blank","title":"Too Many Requests","status":429}');
    expect(await ingress.deliveries(name)).toHaveLength(3);
  }
  const good = { headers: { 'x-forwarded-for': '192.0.2.1' }, body: '{}' };
  expect((await ingress.post('token', good)).status).toBe(202);
  expect((await fail('token', '192.0.2.2')).status).toBe(401);
  expect((await fail('other')).status).toBe(401);

  // 9 s have passed since the first failure. One second before its minute ends, the response is still 429.
  ingress.clock.advance(50_000);
  expect(await fail('token')).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
  ingress.clock.advance(1_000);
  expect((await fail('token')).status).toBe(401);
  expect((await fail('token')).status).toBe(429);
  expect(ingress.seen.rejections).toEqual(Array(5).fill('failed_auth_rate'));
});

it('X-Forwarded-For is ignored if no proxy is trusted (threat model N12)', async () => {
  ingress = await startIngress({ limits: { failedAuthPerMinute: 2 } });
  const statuses: number[] = [];
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
    statuses.push((await ingress.post(ingress.path(), { headers: { 'x-forwarded-for': address } })).status);
  }
  expect(statuses).toEqual([401, 401, 429]);
  expect((await ingress.deliveries()).map(({ clientAddress }) => clientAddress)).toEqual(['127.0.0.1', '127.0.0.1']);
});

it('returns 503 if a pinned secret cannot be read, because the sender did not cause it', async () => {
  const unreadable = WEBHOOKS.map((webhook) => ({ ...webhook, secret: null }));
  ingress = await startIngress({ webhooks: unreadable });
  for (const { name } of WEBHOOKS) {
    const answer = await ingress.post(ingress.path(name), { body: '{}' });
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(await ingress.deliveries(name)).toEqual([]);
  }
  expect((await ingress.post(`${ingress.path('token')}/x`)).status).toBe(404);
});

it('no credential reaches the database, right or wrong, in any mode (threat model N7)', async () => {
  ingress = await startIngress({ webhooks: WEBHOOKS });
  const canary = 'canary-wrong-credential';
  await send(`${ingress.path('url')}/${TOKEN}?${canary}`, []);
  await send(`${ingress.path('url')}/${canary}`, []);
  await send(ingress.path('token'), [`Authorization: Bearer ${canary}`]);
  await send(ingress.path('token'), [`Authorization: Bearer ${TOKEN}`, 'X-Service-Delivery-Id: the-identity']);
  await send(ingress.path('signed'), [`X-Hub-Signature-256: sha256=${canary}`]);
  expect(await ingress.deliveries('url')).toHaveLength(2);
  const dir = dirname(ingress.file);
  const bytes = Buffer.concat(readdirSync(dir).map((name) => readFileSync(join(dir, name))));
  expect(bytes.includes('the-identity')).toBe(true);
  expect(bytes.includes(canary)).toBe(false);
  expect(bytes.includes(TOKEN)).toBe(false);
});
