import type { LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FailedAttempts } from '../../src/api/auth/failed-attempts.ts';
import type { ClaimRules } from '../../src/api/openid/map-claims.ts';
import { createOpenIdProvider } from '../../src/api/openid/openid-provider.ts';
import { eventually } from '../helpers/eventually.ts';
import { CLIENT_ID, CLIENT_SECRET, startOidcProvider, type TestProvider } from '../helpers/oidc-provider.ts';
import {
  createSeededServer,
  createSeededServices,
  createStandingClock,
  type SeededServices,
} from '../helpers/seeded-services.ts';

// A whole sign-in, step by step as a browser goes: to us, to the provider, back to us.
let provider: TestProvider;

beforeEach(async () => {
  provider = await startOidcProvider();
});

afterEach(() => provider.close());

const RULES: ClaimRules = {
  groupsClaim: 'groups',
  groups: [
    { name: 'admins', role: 'owner', factories: null },
    { name: 'developers', role: 'operator', factories: ['payments'] },
    { name: 'testers', role: 'operator', factories: ['billing', 'payments'] },
    { name: 'everybody', role: 'viewer', factories: null },
  ],
  defaultRole: null,
  allowedDomains: [],
};

const HOST = '127.0.0.1:8788';

interface Opening {
  rules?: Partial<ClaimRules>;
  more?: Partial<SeededServices>;
  clientSecret?: string | null;
  timeoutSeconds?: number;
}

function open({ rules = {}, more = {}, clientSecret = CLIENT_SECRET, timeoutSeconds = 10 }: Opening = {}) {
  const settings = { issuer: provider.issuer, clientId: CLIENT_ID, clientSecret, scopes: ['openid'] };
  const own = { ...RULES, ...rules };
  const redirectUri = () => `http://${HOST}/auth/oidc/callback`;
  const seeded = createSeededServices();
  const { clock } = seeded;
  const openId = {
    provider: createOpenIdProvider(
      { ...settings, groupsClaim: own.groupsClaim },
      { redirectUri, clock, timeoutSeconds },
    ),
    rules: own,
    label: 'Example SSO',
  };
  const services = { ...seeded, openId, ...more };
  const app = createSeededServer(services);
  const login = (query = '') => app.inject({ url: `/auth/oidc/login${query}`, headers: { host: HOST } });
  /** Where the provider sends the browser back to. */
  const visitProvider = async (begun: LightMyRequestResponse) => {
    const answer = await fetch(String(begun.headers.location), { redirect: 'manual' });
    const { pathname, search } = new URL(answer.headers.get('location')!);
    return `${pathname}${search}`;
  };
  const comeBack = (url: string, cookie: string) => app.inject({ url, headers: { host: HOST, cookie } });
  const signIn = async (query = '') => {
    const begun = await login(query);
    expect(begun.statusCode).toBe(303);
    return comeBack(await visitProvider(begun), cookieOf(begun));
  };
  const whoIs = (finished: LightMyRequestResponse) =>
    app.inject({ url: '/api/v1/session', headers: { cookie: cookieOf(finished, 'dockbell=') } });
  return { services, clock, app, login, visitProvider, comeBack, signIn, whoIs };
}

/** The pair that a browser sends back of one cookie that the answer sets. */
function cookieOf(answer: LightMyRequestResponse, prefix = 'dockbell-oidc='): string {
  const set = [answer.headers['set-cookie'] ?? []].flat().find((each) => each.startsWith(prefix));
  return set?.split(';')[0] ?? '';
}

function expectRejection(answer: LightMyRequestResponse, reason: string): void {
  expect([answer.statusCode, answer.headers.location]).toEqual([303, `/login?error=${reason}`]);
  expect(cookieOf(answer, 'dockbell=')).toBe('');
}

describe('a sign-in at the OpenID provider', () => {
  it('gives a session with the highest role of the groups', async () => {
    provider.script.claims = { groups: ['everybody', 'developers', 'admins'], preferred_username: 'alice' };
    const { signIn, whoIs, services } = open();
    const finished = await signIn();
    expect([finished.statusCode, finished.headers.location]).toEqual([303, '/']);
    expect((await whoIs(finished)).json().user).toMatchObject({
      name: 'alice',
      role: 'owner',
      factories: null,
      kind: 'oidc',
    });
    expect(await services.users.list()).toMatchObject([{ kind: 'oidc', name: 'alice', role: 'owner' }]);
    expect(services.seen.signIns).toEqual(['oidc success']);
  });

  it.each([
    [['developers'], 'operator', ['payments']],
    [['testers', 'developers', 'everybody'], 'operator', ['billing', 'payments']],
    [['developers', 'admins'], 'owner', null],
    ['everybody', 'viewer', null],
  ])('of the groups %j is %s of %j', async (groups, role, factories) => {
    provider.script.claims = { groups };
    const { signIn, whoIs } = open();
    expect((await whoIs(await signIn())).json().user).toMatchObject({ role, factories });
  });

  it('ends at the requested page, also after a rejection', async () => {
    const path = '/factories/payments/webhooks?state=wrong';
    const query = `?return_to=${encodeURIComponent(path)}`;
    const { signIn } = open();
    const refused = await signIn(query);
    expect(refused.headers.location).toBe(`/login?error=no_role&return_to=${encodeURIComponent(path)}`);
    provider.script.claims = { groups: ['admins'] };
    expect((await signIn(query)).headers.location).toBe(path);
  });

  it.each(['https://evil.example', '//evil.example', '/\\evil.example', '/x/..//evil.example', '/auth/oidc/login'])(
    'never leads to another site or in a circle: %s',
    async (path) => {
      provider.script.claims = { groups: ['admins'] };
      expect((await open().signIn(`?return_to=${encodeURIComponent(path)}`)).headers.location).toBe('/');
    },
  );

  it('begins at the address that the provider knows, where cookies are found again', async () => {
    const { app } = open();
    const visit = (host: string, url: string) => app.inject({ url, headers: { host } });
    const sent = await visit('localhost:8788', '/auth/oidc/login?return_to=/x');
    expect(sent.headers.location).toBe(`http://${HOST}/auth/oidc/login?return_to=%2Fx&here=1`);
    // A proxy that hides the host must not send anybody round and round.
    const arrived = await visit('localhost:8788', '/auth/oidc/login?return_to=/x&here=1');
    expect(String(arrived.headers.location)).toContain(`${provider.issuer}/authorize?`);
    expect((await visit('evil.example', '/auth/oidc/login')).statusCode).toBe(421);
  });

  it('asks with PKCE, state and nonce, and keeps them in a cookie for the way there and back', async () => {
    const { login } = open();
    const begun = await login();
    const { searchParams: asked } = new URL(String(begun.headers.location));
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT_ID,
      scope: 'openid',
      code_challenge_method: 'S256',
      redirect_uri: 'http://127.0.0.1:8788/auth/oidc/callback',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked.get(name)!.length).toBeGreaterThanOrEqual(43);
    expect(begun.headers['set-cookie']).toMatch(/^dockbell-oidc=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it('gives the role of today, also when it is less, and knows the user again under another name', async () => {
    const { signIn, whoIs, services } = open();
    provider.script.claims = { groups: 'admins', preferred_username: 'alice' };
    const first = await signIn();
    provider.script.claims = { groups: ['developers'], preferred_username: 'alice.smith' };
    await signIn();
    expect(await services.users.list()).toMatchObject([{ name: 'alice.smith', role: 'operator' }]);
    expect((await whoIs(first)).json().user).toMatchObject({ name: 'alice.smith', role: 'operator' });
  });

  it('finds groups at a path, and in the user info where the ID token has none', async () => {
    provider.script.userInfo = { realm_access: { roles: ['developers'] }, email: 'alice@example.com' };
    const { signIn, whoIs } = open({ rules: { groupsClaim: 'realm_access.roles' } });
    expect((await whoIs(await signIn())).json().user).toMatchObject({ name: 'alice@example.com', role: 'operator' });
  });

  it.each([
    { groups: ['strangers'] },
    { groups: [] },
    {},
    { groups: { admins: true } },
    { groups: ['__proto__', 'constructor', 'toString'] },
    { groups: [['admins']] },
  ])('is rejected if no group has a role: %j', async (claims) => {
    provider.script.claims = claims;
    const { signIn, services } = open();
    expectRejection(await signIn(), 'no_role');
    expect(await services.users.list()).toEqual([]);
  });

  it('gives the default role to who is in no group, where there is one', async () => {
    const { signIn, whoIs } = open({ rules: { defaultRole: 'viewer' } });
    expect((await whoIs(await signIn())).json().user).toMatchObject({ name: 'subject-1', role: 'viewer' });
  });

  it.each([
    [{ email: 'alice@example.com', email_verified: true }, true],
    [{ email: 'alice@EXAMPLE.com', email_verified: true }, true],
    [{ email: 'alice@example.com', email_verified: false }, false],
    [{ email: 'alice@example.com' }, false],
    [{ email: 'alice@example.com', email_verified: 'true' }, false],
    [{ email: 'alice@sub.example.com', email_verified: true }, false],
    [{ email: 'alice@example.com@evil.example', email_verified: true }, false],
    [{ email: ['alice@example.com'], email_verified: true }, false],
    [{}, false],
  ])('of %j within the allowed domains: %s', async (claims, isAllowed) => {
    provider.script.claims = { groups: ['admins'], ...claims };
    const finished = await open({ rules: { allowedDomains: ['example.com'] } }).signIn();
    if (isAllowed) expect(finished.headers.location).toBe('/');
    else expectRejection(finished, 'wrong_domain');
  });

  it.each([
    ['a nonce of another sign-in', { nonce: 'another' }],
    ['an ID token that has ended', { expiresIn: -600 }],
    ['an ID token of another issuer', { issuer: 'https://evil.example' }],
    ['an ID token for another client', { audience: 'another' }],
    ['an ID token under an unknown key', { signsWithOtherKey: true }],
    ['an ID token without a signature', { algorithm: 'none' }],
    ['an ID token that is signed with the public key', { algorithm: 'HS256' }],
    ['an answer in the name of another provider', { mixedUpWith: 'https://evil.example' }],
    ['keys that are not keys', { answers: { '/jwks': '{"keys":[{"kty":"x"}]}' } }],
    ['a token answer that is none', { answers: { '/token': '[]' } }],
    ['a user info about somebody else', { claims: {}, userInfo: { sub: 'subject-2', groups: ['admins'] } }],
  ])('is rejected for %s', async (_what, script) => {
    provider.script.claims = { groups: ['admins'] };
    Object.assign(provider.script, script);
    const { signIn, services } = open();
    expectRejection(await signIn(), 'invalid_answer');
    expect(await services.users.list()).toEqual([]);
    expect(services.seen.signIns).toEqual(['oidc failure']);
  });

  it('takes an ID token that ended within the tolerance of clocks', async () => {
    Object.assign(provider.script, { claims: { groups: ['admins'] }, expiresIn: -30 });
    expect((await open().signIn()).headers.location).toBe('/');
  });

  it.each([
    ['access_denied', 'denied'],
    ['server_error', 'provider_unavailable'],
    ['temporarily_unavailable', 'provider_unavailable'],
    ['invalid_scope', 'invalid_answer'],
    ['<script>alert(1)</script>', 'invalid_answer'],
  ])('is rejected if the provider responds with the error %s', async (error, reason) => {
    provider.script.error = error;
    const asked = () => provider.seen.filter((path) => path === '/token');
    expectRejection(await open().signIn(), reason);
    expect(asked()).toEqual([]);
  });

  it('is rejected with another state, without a request to the provider', async () => {
    const { login, visitProvider, comeBack } = open();
    const begun = await login();
    const back = await visitProvider(begun);
    const asked = provider.seen.length;
    expectRejection(await comeBack(back.replace(/state=[^&]+/, 'state=another'), cookieOf(begun)), 'expired');
    expect(provider.seen).toHaveLength(asked);
  });

  it('is rejected in another browser, with the cookie of another sign-in, with a forged one, and too late', async () => {
    provider.script.claims = { groups: ['admins'] };
    const { login, visitProvider, comeBack, clock } = open();
    const [begun, other] = [await login(), await login()];
    const back = await visitProvider(begun);
    const cookie = cookieOf(begun);
    const madeUp = cookie.replace(/[^.]+$/, 'A'.repeat(43));
    for (const wrong of ['', cookieOf(other), madeUp, 'dockbell-oidc=x']) {
      expectRejection(await comeBack(back, wrong), 'expired');
    }
    clock.advance(10 * 60_000);
    expectRejection(await comeBack(back, cookie), 'expired');
    clock.advance(-1);
    expect((await comeBack(back, cookie)).headers.location).toBe('/');
  });

  it('cannot be finished twice, also where the provider takes a code twice', async () => {
    provider.script.claims = { groups: ['admins'] };
    provider.script.takesCodesTwice = true;
    const { login, visitProvider, comeBack } = open();
    const begun = await login();
    const back = await visitProvider(begun);
    const finished = await comeBack(back, cookieOf(begun));
    expect(finished.headers.location).toBe('/');
    expect(finished.headers['set-cookie']).toContainEqual(expect.stringMatching(/^dockbell-oidc=; Max-Age=0;/));
    expectRejection(await comeBack(back, cookieOf(begun)), 'expired');
  });

  it('gets a new session, regardless of earlier sessions of the browser (fixation)', async () => {
    provider.script.claims = { groups: ['admins'] };
    const { signIn, login, visitProvider, comeBack, whoIs } = open();
    const before = await signIn();
    const planted = `dockbell=${'p'.repeat(43)}`;
    for (const cookie of [cookieOf(before, 'dockbell='), planted]) {
      const begun = await login();
      const finished = await comeBack(await visitProvider(begun), `${cookieOf(begun)}; ${cookie}`);
      expect(cookieOf(finished, 'dockbell=')).toMatch(/^dockbell=[\w-]{43}$/);
      expect(cookieOf(finished, 'dockbell=')).not.toBe(cookie);
      expect((await whoIs(finished)).statusCode).toBe(200);
    }
    expect((await whoIs(before)).statusCode).toBe(401);
  });

  it('is rejected for a user who is disabled in Dockbell, whose sessions have ended', async () => {
    provider.script.claims = { groups: ['developers'] };
    const { signIn, whoIs, services } = open();
    const first = await signIn();
    const [user] = await services.users.list();
    await services.users.change(user!.id, { disabled: true }, 1);
    expect((await whoIs(first)).statusCode).toBe(401);
    expectRejection(await signIn(), 'disabled');
  });

  it('works again soon after a provider that was down is up', async () => {
    provider.script.claims = { groups: ['admins'] };
    provider.script.isBroken = true;
    const { login, signIn, services, clock } = open();
    expectRejection(await login(), 'provider_unavailable');
    provider.script.isBroken = false;
    clock.advance(5000);
    expect((await signIn()).headers.location).toBe('/');
    expect(services.seen.logLines.join()).toContain('sign-in at the OpenID provider failed');
  });

  it('contacts a provider that is down once in 5 seconds, for any number of users', async () => {
    provider.script.isBroken = true;
    const { login, clock } = open();
    for (const answer of await Promise.all(Array.from({ length: 20 }, () => login()))) {
      expectRejection(answer, 'provider_unavailable');
    }
    expectRejection(await login(), 'provider_unavailable');
    expect(provider.seen).toHaveLength(1);
    clock.advance(5000);
    expectRejection(await login(), 'provider_unavailable');
    expect(provider.seen).toHaveLength(2);
  });

  it.each(['/.well-known/openid-configuration', '/token', '/jwks', '/userinfo'])(
    'is rejected if the provider never responds at %s',
    { tags: 'full' },
    async (path) => {
      provider.script.hangsAt = path;
      const { login, visitProvider, comeBack } = open({ timeoutSeconds: 1 });
      const begun = await login();
      const isBegun = path !== '/.well-known/openid-configuration';
      const last = isBegun ? await comeBack(await visitProvider(begun), cookieOf(begun)) : begun;
      expectRejection(last, 'provider_unavailable');
    },
  );

  it('asks the provider for a few people at a time, and sends the others away', async () => {
    const { login, visitProvider, comeBack, services } = open();
    const backs: [string, string][] = [];
    for (let person = 0; person < 50; person++) {
      const begun = await login();
      backs.push([await visitProvider(begun), cookieOf(begun)]);
    }
    provider.script.hangsAt = '/token';
    const answers = Promise.all(backs.map((back) => comeBack(...back)));
    // 8 that ask, 40 that wait.
    await eventually(() => services.seen.signIns.length === 2);
    expect(services.seen.signIns).toEqual(['oidc limited', 'oidc limited']);
    await eventually(() => provider.seen.includes('/token'));
    await provider.close();
    const reasons = (await answers).map(({ headers }) => headers.location);
    expect(reasons.filter((location) => location === '/login?error=too_many')).toHaveLength(2);
    expect(reasons.filter((location) => location === '/login?error=provider_unavailable')).toHaveLength(48);
  });

  it('is rejected without a check for an address with too many failures, and works for others', async () => {
    const attemptsClock = createStandingClock();
    const failedAttempts = new FailedAttempts(
      { name: 'failed-authentications', limit: 2, windowMs: 60_000 },
      attemptsClock,
    );
    const { signIn, services } = open({ more: { failedAttempts } });
    expectRejection(await signIn(), 'no_role');
    expectRejection(await signIn(), 'no_role');
    const asked = provider.seen.filter((path) => path === '/token').length;
    expectRejection(await signIn(), 'too_many');
    expect(provider.seen.filter((path) => path === '/token')).toHaveLength(asked);
    expect(services.seen.signIns).toEqual(['oidc failure', 'oidc failure', 'oidc limited']);
    provider.script.claims = { groups: ['admins'] };
    attemptsClock.advance(60_000);
    expect((await signIn()).headers.location).toBe('/');
  });

  it('writes 60 lines a minute about failures to the log at most', async () => {
    provider.script.isBroken = true;
    const { login, services } = open();
    for (let visit = 0; visit < 70; visit++) await login();
    expect(services.seen.logLines.filter((line) => line.includes('OpenID provider failed'))).toHaveLength(60);
  });

  it('is rejected while the provider cannot be reached', async () => {
    const { login } = open();
    await provider.close();
    expectRejection(await login(), 'provider_unavailable');
  });

  it('is rejected if the issuer of the provider differs from the configuration', async () => {
    const address = '/.well-known/openid-configuration';
    const document = await (await fetch(`${provider.issuer}${address}`)).json();
    provider.script.answers[address] = JSON.stringify({ ...(document as object), issuer: 'https://evil.example' });
    expectRejection(await open().login(), 'invalid_answer');
  });

  it('is rejected if the response of the provider is endless', async () => {
    const address = '/.well-known/openid-configuration';
    const document = await (await fetch(`${provider.issuer}${address}`)).json();
    provider.script.answers[address] = JSON.stringify({ ...(document as object), padding: 'x'.repeat(1_100_000) });
    expectRejection(await open().login(), 'invalid_answer');
  });

  it.each(['client_secret_post', 'client_secret_basic', 'none'] as const)(
    'shows who we are as the provider wants it: %s',
    async (authMethod) => {
      provider.script.claims = { groups: ['admins'] };
      provider.script.authMethod = authMethod;
      const { signIn } = open({ clientSecret: authMethod === 'none' ? null : CLIENT_SECRET });
      expect((await signIn()).headers.location).toBe('/');
    },
  );

  it('is rejected by the provider with a wrong client secret', async () => {
    expectRejection(await open({ clientSecret: 'wrong' }).signIn(), 'invalid_answer');
  });

  it('leaves neither codes nor tokens nor the client secret in the log', async () => {
    provider.script.claims = { groups: ['admins'] };
    provider.script.signsWithOtherKey = true;
    const { login, visitProvider, comeBack, services } = open();
    const begun = await login();
    const back = await visitProvider(begun);
    await comeBack(back, cookieOf(begun));
    const log = services.seen.logLines.join();
    expect(log).toContain('invalid_answer');
    const code = new URLSearchParams(back.split('?')[1]).get('code')!;
    for (const secret of [code, 'an access token', CLIENT_SECRET, cookieOf(begun).split('=')[1]!, 'eyJ']) {
      expect(log).not.toContain(secret);
    }
  });

  it('is in the audit log, for every user', async () => {
    const { signIn, services } = open();
    provider.script.claims = { groups: ['admins'], preferred_username: 'alice' };
    await signIn();
    provider.script.claims = { preferred_username: 'mallory' };
    await signIn();
    const { data } = await services.auditLog.list({ actor: null, object: null, outcome: null, limit: 9, cursor: null });
    // The seeded services have entries of applies.
    expect(data.filter(({ object }) => object === 'session')).toMatchObject([
      {
        object: 'session',
        actor: null,
        status: 401,
        changes: { sign_in: 'oidc', user: 'mallory', reason: 'no_role' },
      },
      { object: 'session', actor: { kind: 'oidc', name: 'alice' }, status: 303 },
    ]);
  });

  it('has no password and no role to be set here', async () => {
    provider.script.claims = { groups: ['admins'] };
    const { signIn, app, services } = open();
    await signIn();
    const [user] = await services.users.list();
    const headers = { authorization: `Bearer ${services.grant('owner')}` };
    const patch = (payload: object) =>
      app.inject({ method: 'PATCH', url: `/api/v1/users/${user!.id}`, headers, payload });
    expect((await patch({ password: 'correct horse battery' })).statusCode).toBe(409);
    expect((await patch({ role: 'viewer' })).statusCode).toBe(409);
  });
});

describe('ways to sign in', () => {
  it('name the provider, or none', async () => {
    const ask = async (app: ReturnType<typeof createSeededServer>) => (await app.inject('/api/v1/sign-in')).json();
    expect(await ask(open().app)).toEqual({ oidc: { label: 'Example SSO', url: '/auth/oidc/login' } });
    expect(await ask(open({ more: { openId: null } }).app)).toEqual({ oidc: null });
  });
});
