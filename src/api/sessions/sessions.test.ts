import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import {
  createSeededServer,
  createSeededServices,
  type SeededServices,
} from '../../../test/helpers/seeded-services.ts';
import { FailedAttempts } from '../auth/failed-attempts.ts';
import { createLoginLink } from './create-login-link.ts';

const SESSION = '/api/v1/session';

function open(more: Partial<SeededServices> = {}) {
  const services = createSeededServices(more);
  const app = createSeededServer(services);
  const signIn = (payload: object, headers: InjectOptions['headers'] = {}) =>
    app.inject({ method: 'POST', url: SESSION, payload, headers });
  const signInBy = async (token: string, headers: InjectOptions['headers'] = {}) =>
    readSession(await signIn({ api_token: token }, headers));
  return { services, app, signIn, signInBy };
}

/** What a browser keeps of a sign-in. */
function readSession(answer: LightMyRequestResponse) {
  expect(answer.statusCode).toBe(200);
  const flags = String(answer.headers['set-cookie']);
  const [cookie] = flags.split(';', 1) as [string];
  return { flags, cookie, csrf: answer.json().csrf_token as string, body: answer.json() };
}

async function createLink(services: ReturnType<typeof open>['services']) {
  const { url } = await createLoginLink(services, 'request');
  return { url, token: url.split('#token=')[1]! };
}

describe('signing in', () => {
  it('with an API token gives its rights, and a cookie that scripts and other sites never see', async () => {
    const { services, app, signInBy } = open();
    const session = await signInBy(services.grant('operator', ['payments']));
    expect(session.flags).toMatch(/^dockbell=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(session.body).toEqual({
      user: {
        id: expect.stringMatching(/^tok_/),
        name: 'operator',
        role: 'operator',
        factories: ['payments'],
        kind: 'token',
      },
      csrf_token: session.csrf,
      last_event_id: expect.any(String),
    });
    const again = await app.inject({ url: SESSION, headers: { cookie: session.cookie } });
    expect(again.json()).toEqual(session.body);
  });

  it('with a login link makes an owner of its bearer, once', async () => {
    const { services, signIn } = open();
    const { url, token } = await createLink(services);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8788\/login#token=dbl_[\w-]{43}$/);
    expect(readSession(await signIn({ login_token: token })).body.user).toMatchObject({ role: 'owner', kind: 'link' });
    const second = await signIn({ login_token: token });
    expect([second.statusCode, second.json().code]).toEqual([401, 'unauthorized']);
    expect(second.headers['set-cookie']).toBeUndefined();
  });

  it('lets one of many who come with the same link at the same moment in', async () => {
    const { services, signIn } = open();
    const { token } = await createLink(services);
    const answers = await Promise.all(Array.from({ length: 20 }, () => signIn({ login_token: token })));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  });

  it('with a link works for 15 minutes', async () => {
    const { services, signIn } = open();
    const [early, late] = [await createLink(services), await createLink(services)];
    services.clock.advance(15 * 60_000 - 1);
    expect((await signIn({ login_token: early.token })).statusCode).toBe(200);
    services.clock.advance(1);
    expect((await signIn({ login_token: late.token })).statusCode).toBe(401);
  });

  it('with the link of a start works for a day, and only with that of the newest start', async () => {
    const { services, signIn } = open();
    const start = async () => (await createLoginLink(services, 'start')).url.split('#token=')[1]!;
    const [first, second] = [await start(), await start()];
    services.clock.advance(24 * 60 * 60_000 - 1);
    expect((await signIn({ login_token: first })).statusCode).toBe(401);
    expect((await signIn({ login_token: second })).statusCode).toBe(200);
  });

  it('stores nothing that would let a thief of the database in', async () => {
    const stored: unknown[] = [];
    const spy = createSeededServices();
    const { services, signIn } = open({
      sessions: {
        ...spy.sessions,
        insert: async (...row) => void stored.push(row),
      },
      loginLinks: {
        insert: async (...row) => void stored.push(row),
        take: async () => null,
      },
    });
    const { cookie, csrf } = readSession(await signIn({ api_token: services.grant('owner') }));
    const { token } = await createLink(services);
    const text = JSON.stringify(stored, (_key, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    );
    for (const secret of [cookie.split('=')[1]!, csrf, token]) expect(text).not.toContain(secret);
    expect(stored).toHaveLength(2);
  });

  it('rejects wrong credentials with the same text, and too many of them with 429', async () => {
    const services = createSeededServices();
    const failedAttempts = new FailedAttempts(
      { name: 'failed-authentications', limit: 3, windowMs: 60_000 },
      services.clock,
    );
    const { signIn, services: used } = open({ failedAttempts });
    const wrong = [
      { login_token: 'x' },
      { login_token: `dbl_${'A'.repeat(43)}` },
      { api_token: `dbk_${'A'.repeat(43)}` },
    ];
    const bodies = new Set<string>();
    for (const body of wrong) {
      const answer = await signIn(body);
      expect(answer.statusCode).toBe(401);
      bodies.add(answer.body);
    }
    expect(bodies.size).toBe(1);
    const limited = await signIn(wrong[0]!);
    expect([limited.statusCode, limited.headers['retry-after']]).toEqual([429, '60']);
    expect(limited.headers).toMatchObject({
      'ratelimit-policy': '"failed-authentications";q=3;w=60',
      ratelimit: '"failed-authentications";r=0;t=60',
    });
    const good = await signIn({ api_token: used.grant('viewer') });
    expect(good.statusCode).toBe(200);
  });

  it.each([{}, { login_token: 1 }, { login_token: 'x', api_token: 'y' }, { login_token: 'x', more: 1 }, []])(
    'does not take %j',
    async (body) => {
      expect((await open().signIn(body)).statusCode).toBe(400);
    },
  );
});

describe('a session', () => {
  it('gets a new id at each sign-in, and the one before is worth nothing then (fixation)', async () => {
    const { app, services, signInBy } = open();
    const first = await signInBy(services.grant('viewer'));
    const second = await signInBy(services.grant('owner'), { cookie: first.cookie });
    expect(second.cookie).not.toBe(first.cookie);
    expect((await app.inject({ url: SESSION, headers: { cookie: first.cookie } })).statusCode).toBe(401);
    expect((await app.inject({ url: SESSION, headers: { cookie: second.cookie } })).statusCode).toBe(200);
  });

  it('never takes an id that a browser brought', async () => {
    const { app, services, signInBy } = open();
    const planted = `dockbell=${'p'.repeat(43)}`;
    const session = await signInBy(services.grant('owner'), { cookie: planted });
    expect(session.cookie).not.toBe(planted);
    expect((await app.inject({ url: SESSION, headers: { cookie: planted } })).statusCode).toBe(401);
  });

  it('ends on the server at sign-out', async () => {
    const { app, services, signInBy } = open();
    const { cookie, csrf } = await signInBy(services.grant('owner'));
    const out = await app.inject({ method: 'DELETE', url: SESSION, headers: { cookie, 'x-csrf-token': csrf } });
    expect(out.statusCode).toBe(204);
    expect(out.headers['set-cookie']).toMatch(/^dockbell=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/);
    expect((await app.inject({ url: SESSION, headers: { cookie } })).statusCode).toBe(401);
  });

  it('ends with the API token that it came from', async () => {
    const { app, services, signInBy } = open();
    const { cookie } = await signInBy(services.grant('owner'));
    services.revokeAll();
    expect((await app.inject({ url: SESSION, headers: { cookie } })).statusCode).toBe(401);
  });

  it('ends after 30 minutes without use, and after 12 hours in any case', async () => {
    const { app, services, signInBy } = open();
    const { cookie } = await signInBy(services.grant('owner'));
    const useAfter = async (minutes: number) => {
      services.clock.advance(minutes * 60_000);
      return (await app.inject({ url: SESSION, headers: { cookie } })).statusCode;
    };
    for (let use = 0; use < 24; use++) expect(await useAfter(29)).toBe(200);
    expect(await useAfter(23)).toBe(200);
    expect(await useAfter(1)).toBe(401);
    const idle = await signInBy(services.grant('owner'));
    services.clock.advance(30 * 60_000);
    expect((await app.inject({ url: SESSION, headers: { cookie: idle.cookie } })).statusCode).toBe(401);
  });

  it('is not kept by a page that renews itself while nobody is there', async () => {
    const { app, services, signInBy } = open();
    const { cookie } = await signInBy(services.grant('owner'));
    const look = async (headers: Record<string, string>) => {
      services.clock.advance(10 * 60_000);
      return (await app.inject({ url: SESSION, headers: { cookie, ...headers } })).statusCode;
    };
    const unattended = { 'x-unattended': '1' };
    expect([await look(unattended), await look({}), await look(unattended), await look(unattended)]).toEqual([
      200, 200, 200, 200,
    ]);
    expect(await look(unattended)).toBe(401);
  });

  it('that may be idle for a short time only is kept by its use too', async () => {
    const { app, services, signInBy } = open({ sessionIdleMs: 60_000 });
    const { cookie } = await signInBy(services.grant('owner'));
    const useAfter = async (seconds: number) => {
      services.clock.advance(seconds * 1000);
      return (await app.inject({ url: SESSION, headers: { cookie } })).statusCode;
    };
    for (let use = 0; use < 8; use++) expect(await useAfter(25)).toBe(200);
    expect(await useAfter(60)).toBe(401);
  });

  it('is ignored if the request has an API token, also a wrong one', async () => {
    const { app, services, signInBy } = open();
    const { cookie } = await signInBy(services.grant('owner'));
    const ask = (token: string) => app.inject({ url: SESSION, headers: { cookie, authorization: `Bearer ${token}` } });
    expect((await ask(services.grant('viewer'))).json()).toMatchObject({ user: { role: 'viewer' }, csrf_token: null });
    expect((await ask('dbk_wrong')).statusCode).toBe(401);
  });

  it('has a cookie for TLS only, under a name that binds it to the host, where browsers come over TLS', async () => {
    const secure = /^__Host-dockbell=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/;
    const byUrl = open({ adminUrl: () => 'https://dockbell.example.com' });
    const host = { host: 'dockbell.example.com' };
    const session = await byUrl.signInBy(byUrl.services.grant('owner'), host);
    expect(session.flags).toMatch(secure);
    const ask = async (headers: Record<string, string>) =>
      (await byUrl.app.inject({ url: SESSION, headers })).statusCode;
    expect(await ask({ ...host, cookie: session.cookie })).toBe(200);
    expect(await ask({ ...host, cookie: session.cookie.replace('__Host-', '') })).toBe(401);
    const byProxy = open({ trustedProxies: ['127.0.0.1'] });
    const forwarded = { 'x-forwarded-proto': 'https' };
    expect((await byProxy.signInBy(byProxy.services.grant('owner'), forwarded)).flags).toMatch(secure);
    const other = open();
    expect((await other.signInBy(other.services.grant('owner'), forwarded)).flags).toMatch(/^dockbell=/);
  });
});

describe('a request with a session that changes something', () => {
  const change = async (headers: InjectOptions['headers'], more: Partial<SeededServices> = {}) => {
    const { app, services, signInBy } = open(more);
    const { cookie, csrf } = await signInBy(services.grant('owner'));
    const sent = { cookie, 'x-csrf-token': csrf, ...headers };
    const payload = { name: 'planted', role: 'owner' };
    const answer = await app.inject({ method: 'POST', url: '/api/v1/tokens', headers: sent, payload });
    const planted = (await services.tokens.list()).some(({ name }) => name === 'planted');
    return { status: answer.statusCode, planted };
  };

  it.each([
    {},
    { 'sec-fetch-site': 'same-origin', origin: 'http://localhost' },
    { origin: 'http://dockbell.example.com', host: 'dockbell.example.com' },
    { origin: 'https://dockbell.example.com', host: 'dockbell.example.com' },
  ])('is done for our own page: %j', async (headers) => {
    expect(await change({ ...headers })).toEqual({ status: 201, planted: true });
  });

  it.each([
    { 'x-csrf-token': '' },
    { 'x-csrf-token': 'A'.repeat(43) },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost:1', host: 'localhost:2' },
    { origin: 'http://localhost.evil.example', host: 'localhost' },
  ])('is rejected with 403 for another page: %j', async (headers) => {
    expect(await change({ ...headers })).toEqual({ status: 403, planted: false });
  });

  it('is rejected with the CSRF token of another session', async () => {
    const { services, signInBy, app } = open();
    const [mine, other] = [await signInBy(services.grant('owner')), await signInBy(services.grant('owner'))];
    const headers = { cookie: mine.cookie, 'x-csrf-token': other.csrf };
    const answer = await app.inject({ method: 'DELETE', url: SESSION, headers });
    expect(answer.statusCode).toBe(403);
  });
});

describe('another site', () => {
  it('cannot sign a browser in (login CSRF)', async () => {
    const { services, signIn } = open();
    const answer = await signIn({ api_token: services.grant('owner') }, { 'sec-fetch-site': 'cross-site' });
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([403, undefined]);
  });
});

describe('failed API tokens', () => {
  it('are answered with 429 when one address has sent too many, and a good one never', async () => {
    const services = createSeededServices();
    const failedAttempts = new FailedAttempts(
      { name: 'failed-authentications', limit: 2, windowMs: 60_000 },
      services.clock,
    );
    const { app, services: used } = open({ failedAttempts });
    const ask = async (token: string) =>
      (await app.inject({ url: '/api/v1/factories', headers: { authorization: `Bearer ${token}` } })).statusCode;
    expect([await ask('dbk_a'), await ask('dbk_b'), await ask('dbk_c')]).toEqual([401, 401, 429]);
    expect(await ask(used.grant('viewer'))).toBe(200);
  });
});
