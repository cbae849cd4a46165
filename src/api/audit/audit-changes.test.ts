import { readFileSync } from 'node:fs';
import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import {
  createSeededServer,
  createSeededServices,
  type SeededServices,
} from '../../../test/helpers/seeded-services.ts';
import { createClientAddresses } from '../../domain/network/client-address.ts';

const REPORTED = JSON.parse(readFileSync('test/vectors/cases/forwarded-for.json', 'utf8')) as {
  trustedProxies: string[];
  peer: string;
  cases: { 'X-Forwarded-For': string; expected: string }[];
};

const PASSWORD = 'correct horse battery';
const F = '/factories/payments';

/** The seeded factories were applied before. */
function isRequest({ method }: { method: string }): boolean {
  return method !== 'APPLY';
}

function open(more: Partial<SeededServices> = {}) {
  const services = createSeededServices(more);
  const app = createSeededServer(services);
  const owner = services.grant('owner');
  const call = (method: InjectOptions['method'], url: string, payload?: object, token: string | null = owner) =>
    app.inject({
      method: method!,
      url: `/api/v1${url}`,
      remoteAddress: '192.0.2.7',
      ...(payload && { payload }),
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
    });
  const read = async (query = '') => {
    const answer = await call('GET', `/audit${query}`);
    expect(answer.statusCode).toBe(200);
    return answer.json().data.filter(isRequest);
  };
  return { services, app, call, read };
}

describe('the audit log', () => {
  it('says who did what, when, from where, and what came of it', async () => {
    const { call, read } = open();
    const { id } = (await call('POST', '/tokens', { name: 'ci', role: 'viewer' })).json();
    expect(await read()).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        at: '2026-01-02T03:04:05.678Z',
        actor: { kind: 'token', id: expect.stringMatching(/^tok_/), name: 'owner' },
        action: 'Create API token',
        method: 'POST',
        route: '/api/v1/tokens',
        object: `tokens/${id}`,
        changes: { name: 'ci', role: 'viewer' },
        outcome: 'done',
        status: 201,
        client_address: '192.0.2.7',
      },
    ]);
  });

  it.each(REPORTED.cases)('has the address $expected for $X-Forwarded-For', async ({ expected, ...headers }) => {
    const { trustedProxies, peer } = REPORTED;
    const { services, app, read } = open({
      trustedProxies,
      findClientAddress: createClientAddresses(trustedProxies).find,
    });
    await app.inject({
      method: 'POST',
      url: '/api/v1/tokens',
      remoteAddress: peer,
      payload: { name: 'ci', role: 'viewer' },
      headers: { authorization: `Bearer ${services.grant('owner')}`, 'x-forwarded-for': headers['X-Forwarded-For'] },
    });
    expect(await read()).toMatchObject([{ client_address: expected }]);
  });

  it('logs rejected requests without their content', async () => {
    const { services, call, read } = open();
    await call('PUT', '/secrets/A_SECRET', { value: 'canary' }, services.grant('viewer'));
    await call('POST', '/tokens', { name: 'ci', role: 'god', canary: 1 });
    expect(await read()).toMatchObject([
      { object: 'tokens', outcome: 'refused', status: 400, changes: null },
      { object: 'secrets/A_SECRET', outcome: 'refused', status: 403, changes: null, actor: { name: 'viewer' } },
    ]);
  });

  it('contains no secret value for any request', async () => {
    const { services, call, read } = open();
    await call('PUT', '/secrets/A_SECRET?mode=create', { value: 'canary-1' });
    const { id } = (await call('POST', '/users', { name: 'alice', role: 'viewer', password: 'canary-2-long' })).json();
    await call('PATCH', `/users/${id}`, { password: 'canary-3-long', role: 'operator' });
    await call('POST', '/session', { login_token: 'canary-4' }, null);
    await call('POST', '/session', { username: 'canary-5', password: 'canary-6' }, null);
    await call('POST', '/secrets/A_SECRET/diagnoses', { headers: { a: 'canary-7' }, body_base64: '' });
    const entries = await read();
    expect(entries).toHaveLength(6);
    expect(JSON.stringify(entries) + services.seen.logLines.join()).not.toContain('canary');
    expect(entries.at(-1)).toMatchObject({ object: 'secrets/A_SECRET', status: 201 });
    expect(entries.at(-1).changes).toEqual({ mode: 'create', value: '[not shown]', scope: 'no factory' });
    expect(entries.at(-3).changes).toEqual({ password: '[not shown]', role: 'operator' });
  });

  it('omits reads, requests without changes, and unauthenticated requests', async () => {
    const { call, read } = open();
    await call('GET', '/users');
    await call('POST', `${F}/plan`, { files: {} });
    await call('POST', `${F}/filters/test`, { filter: {}, payload: {} });
    await call('POST', '/tokens', { name: 'ci', role: 'viewer' }, null);
    await call('POST', '/nowhere', {});
    expect(await read()).toEqual([]);
  });

  it('has an entry for every route that is not marked as changing nothing', async () => {
    const { app, call, read } = open();
    await app.ready();
    const routes = app.accessTable.filter(
      ({ method, url, access }) =>
        !['GET', 'HEAD'].includes(method) &&
        access.role !== 'public' &&
        !/\/(plan|test|backtests|claim|heartbeat|start|sessions\/:id|artifacts\/:number)$/.test(url),
    );
    expect(routes.length).toBeGreaterThan(15);
    for (const { method, url } of routes) {
      await call(method as 'POST', url.replace('/api/v1', '').replace(':factory', 'payments').replaceAll(/:\w+/g, 'x'));
      const [entry] = await read('?limit=1');
      expect(entry).toMatchObject({ method, route: url });
      expect(entry.action).not.toContain('/');
    }
  });

  it('is asked for one actor, one object with all below it, and page by page', async () => {
    const { services, call, read } = open();
    const manager = services.grant('manager');
    await call('POST', `${F}/webhooks/wh_1/rotate`, {}, manager);
    await call('POST', `${F}/reconciliations`);
    await call('POST', '/factories/payments-2/reconciliations');
    await call('DELETE', '/secrets/A');
    expect(await read('?object=factories/payments')).toMatchObject([
      { object: 'factories/payments/reconciliations' },
      { object: 'factories/payments/webhooks/wh_1/rotate' },
    ]);
    const [entry] = await read('?limit=1');
    expect(await read(`?actor=${entry.actor.id}`)).toHaveLength(3);
    const first = (await call('GET', '/audit?limit=3')).json();
    const rest = (await call('GET', `/audit?limit=10&cursor=${first.next_cursor}`)).json();
    expect([first.data.length, rest.data.filter(isRequest).length, rest.next_cursor]).toEqual([3, 1, null]);
    expect((await call('GET', '/audit?cursor=nonsense')).statusCode).toBe(400);
  });

  it('is asked for a time and for what came of it', async () => {
    const { services, call, read } = open();
    await call('POST', '/login-links');
    services.clock.advance(60_000);
    await call('POST', '/tokens', { name: 'ci', role: 'god' });
    expect(await read('?outcome=refused')).toMatchObject([{ object: 'tokens', status: 400 }]);
    expect(await read('?from=2026-01-02T03:05:00Z')).toHaveLength(1);
    expect(await read('?to=2026-01-02T03:05:00Z&outcome=done')).toMatchObject([{ route: '/api/v1/login-links' }]);
    for (const query of ['from=yesterday', 'outcome=maybe', 'to=2026-13-01T00:00:00Z']) {
      expect((await call('GET', `/audit?${query}`)).statusCode).toBe(400);
    }
  });

  it('keeps sign-ins and sign-outs, and of wrong names only those that exist', async () => {
    const { services, app, call, read } = open();
    await call('POST', '/users', { name: 'alice', role: 'viewer', password: PASSWORD });
    const signIn = (username: string, password: string) => call('POST', '/session', { username, password }, null);
    await signIn('hunter2', 'x');
    await signIn('ALICE', 'wrong');
    const good = await signIn('alice', PASSWORD);
    const headers = {
      cookie: String(good.headers['set-cookie']).split(';')[0]!,
      'x-csrf-token': good.json().csrf_token,
    };
    await app.inject({ method: 'DELETE', url: '/api/v1/session', headers });
    const alice = { kind: 'local', id: expect.stringMatching(/^usr_/), name: 'alice' };
    expect((await read()).slice(0, -1)).toMatchObject([
      { method: 'DELETE', object: 'session', actor: alice },
      { object: 'session', outcome: 'done', actor: alice, changes: { sign_in: 'password', user: 'alice' } },
      { object: 'session', outcome: 'refused', actor: null, changes: { sign_in: 'password', user: 'alice' } },
      { object: 'session', outcome: 'refused', actor: null, changes: { sign_in: 'password' } },
    ]);
    expect(services.seen.signIns).toEqual(['password failure', 'password failure', 'password success']);
  });

  it('logs 60 unauthenticated failures per minute, and counts the omitted ones', async () => {
    const { services, call, read } = open();
    for (let guess = 0; guess < 70; guess++) await call('POST', '/session', { login_token: 'x' }, null);
    expect(await read('?limit=200')).toHaveLength(60);
    services.clock.advance(60_000);
    await call('POST', '/session', { login_token: 'x' }, null);
    expect((await read('?limit=1'))[0].changes).toEqual({ sign_in: 'login_link', omitted_before: 10 });
    expect(services.seen.signIns).toHaveLength(71);
  });

  it('shows a change whose answer is not known', async () => {
    const { services, call, read } = open();
    services.auditLog.append = async () => Promise.reject(new Error('the daemon was killed'));
    await call('POST', '/tokens', { name: 'ci', role: 'viewer' });
    await call('POST', '/drain');
    expect(await read('?outcome=unanswered')).toMatchObject([
      { object: 'drain', status: 0, actor: { name: 'owner' }, client_address: '192.0.2.7' },
      { object: 'tokens', status: 0, changes: { name: 'ci', role: 'viewer' }, client_address: '192.0.2.7' },
    ]);
  });

  it('makes no change in another place whose entry cannot be stored', async () => {
    const { services, call } = open();
    services.auditLog.begin = async () => Promise.reject(new Error('disk full'));
    const before = (await call('GET', '/drain')).json();
    expect((await call('POST', '/drain')).statusCode).toBe(500);
    expect((await call('GET', '/drain')).json()).toEqual(before);
  });

  it('keeps a change and logs an error if the entry cannot be written', async () => {
    const fail = async () => Promise.reject(new Error('disk full'));
    const auditLog = { begin: fail, append: fail, list: fail };
    const { services, call } = open({ auditLog });
    expect((await call('POST', '/tokens', { name: 'ci', role: 'viewer' })).statusCode).toBe(201);
    expect(services.seen.logLines.join()).toContain('audit entry not completed');
  });
});
