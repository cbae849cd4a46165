import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RawAnswer, withoutDate } from '../helpers/raw-connection.ts';
import { startIngress, type TestIngress, type TestIngressOptions, TOKEN } from '../helpers/start-ingress.ts';

const UNKNOWN = '/webhooks/w/wh_00000000000000000000000000';
const NOT_FOUND = '{"type":"about:blank","title":"Not Found","status":404}';

let ingress: TestIngress;

beforeEach(async () => {
  const webhooks = [
    { name: 'hook' },
    { name: 'off', enabled: false },
    { name: 'gone' },
    { name: 'signed', authMode: 'signature' as const, signatureScheme: 'github' },
  ];
  ingress = await startIngress({ webhooks });
  await ingress.apply(webhooks.filter(({ name }) => name !== 'gone'));
});

afterEach(() => ingress.close());

async function ask(target: string, method = 'POST', lines: string[] = []): Promise<RawAnswer | null> {
  const body = '{"a":1}';
  const head = [`${method} ${target} HTTP/1.1`, 'Host: hooks', `Authorization: Bearer ${TOKEN}`, ...lines];
  const connection = await ingress.connect();
  connection.send(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${method === 'HEAD' ? '' : body}`);
  return withoutDate(await connection.readAnswer(method));
}

it('unknown, disabled, deleted webhooks and wrong paths answer the same bytes, and nothing is logged', async () => {
  const unknown = await ask(UNKNOWN);
  expect(unknown).toEqual({
    status: 404,
    head: [
      'HTTP/1.1 404 Not Found',
      'Content-Type: application/problem+json',
      `Content-Length: ${NOT_FOUND.length}`,
      'Connection: keep-alive',
      'Keep-Alive: timeout=5, max=1000',
    ].join('\r\n'),
    body: NOT_FOUND,
  });
  const same = [
    ingress.path('off'),
    ingress.path('gone'),
    `${ingress.path('hook')}/${TOKEN}`,
    `${ingress.path('hook')}/`,
    `${ingress.path('signed')}/x`,
    `${ingress.path('off')}/x`,
    `${ingress.path('gone')}/x`,
    `${UNKNOWN}/x`,
    ingress.path('hook').toUpperCase(),
    ingress.path('hook').replace('_', '%5F'),
    `/${ingress.path('hook')}`,
    '/',
    '/healthz',
    '/readyz',
    '/metrics',
    '/webhooks/w/',
    '/webhooks/w/__proto__',
    '/webhooks/w/constructor',
    '*',
  ];
  for (const target of same) expect([target, await ask(target)]).toEqual([target, unknown]);
  for (const name of ['hook', 'off', 'gone', 'signed']) expect(await ingress.deliveries(name)).toEqual([]);
});

it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
  '%s is answered 405 with Allow: POST, the same for known and unknown webhooks',
  async (method) => {
    const known = await ask(ingress.path('hook'), method);
    expect(known?.status).toBe(405);
    expect(known?.head).toContain('\r\nAllow: POST\r\n');
    for (const target of [UNKNOWN, ingress.path('off'), ingress.path('gone'), `${ingress.path('hook')}/x`]) {
      expect(await ask(target, method)).toEqual(known);
    }
    expect((await ask('/webhooks/other', method))?.status).toBe(404);
    expect(await ingress.deliveries()).toEqual([]);
  },
);

it('a query is not part of the path', async () => {
  expect((await ask(`${ingress.path()}?uid=other&/x`))?.status).toBe(202);
});

it('a disabled webhook returns 404 immediately, and accepts again when it is enabled', async () => {
  expect((await ask(ingress.path()))?.status).toBe(202);
  await ingress.apply([{ enabled: false }]);
  expect((await ask(ingress.path()))?.status).toBe(404);
  await ingress.apply([{}]);
  expect((await ask(ingress.path()))?.status).toBe(202);
  expect((await ingress.deliveries()).map(({ label }) => label)).toEqual(['Duplicate', 'Accepted']);
});

it('reports that the process is alive under /healthz, and not which program it is', async () => {
  const [answer, head] = [await ask('/healthz', 'GET'), await ask('/healthz?x=1', 'HEAD')];
  expect(answer).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  expect(answer?.head).toContain('Content-Type: application/json\r\n');
  expect(head).toMatchObject({ status: 200, body: '' });
});

describe('/readyz', () => {
  it('answers 200 while deliveries can be accepted and 503 otherwise, without the reasons', async () => {
    let ready = true;
    ingress = await replaceIngress({ isReady: async () => ready });
    expect(await ask('/readyz', 'GET')).toMatchObject({ status: 200, body: '{"ready":true,"problems":[]}' });
    ready = false;
    ingress.clock.advance(1_000);
    const answer = await ask('/readyz', 'GET');
    expect(answer).toMatchObject({ status: 503, head: expect.stringContaining('application/problem+json') });
    expect(JSON.parse(answer!.body)).toEqual({
      type: 'urn:dockbell:problem:not-ready',
      title: 'Not ready',
      status: 503,
      code: 'not_ready',
      ready: false,
      detail: 'the reasons are under /readyz of the admin listener',
    });
    expect(await ask('/readyz', 'HEAD')).toMatchObject({ status: 503, body: '' });
  });

  it('checks the storage once a second, for any number of requests', async () => {
    let looks = 0;
    ingress = await replaceIngress({
      isReady: async () => {
        looks += 1;
        return true;
      },
    });
    for (let n = 0; n < 20; n++) expect((await ask('/readyz', 'GET'))?.status).toBe(200);
    expect(looks).toBe(1);
    ingress.clock.advance(1_000);
    await ask('/readyz', 'GET');
    expect(looks).toBe(2);
  });

  async function replaceIngress(options: TestIngressOptions): Promise<TestIngress> {
    await ingress.close();
    return startIngress(options);
  }
});
