import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import {
  createSeededServer,
  createSeededServices,
  type SeededServices,
} from '../../../test/helpers/seeded-services.ts';

const PASSWORD = 'correct horse battery';
const OTHER = 'staple of another kind';

function open(more: Partial<SeededServices> = {}) {
  const services = createSeededServices(more);
  const app = createSeededServer(services);
  const headers = { authorization: `Bearer ${services.grant('owner')}` };
  const call = (method: InjectOptions['method'], url: string, payload?: object) =>
    app.inject({ method: method!, url: `/api/v1${url}`, headers, ...(payload && { payload }) });
  const add = async (name: string, more: object = {}) => {
    const answer = await call('POST', '/users', { name, role: 'viewer', password: PASSWORD, ...more });
    expect(answer.statusCode).toBe(201);
    return answer.json() as { id: string };
  };
  const signIn = (username: string, password = PASSWORD, remoteAddress = '192.0.2.1') =>
    app.inject({ method: 'POST', url: '/api/v1/session', payload: { username, password }, remoteAddress });
  const ask = (
    session: LightMyRequestResponse,
    method: InjectOptions['method'] = 'GET',
    url = '/session',
    payload?: object,
  ) =>
    app.inject({
      method: method!,
      url: `/api/v1${url}`,
      ...(payload && { payload }),
      headers: {
        cookie: String(session.headers['set-cookie']).split(';')[0]!,
        'x-csrf-token': session.json().csrf_token,
      },
    });
  return { services, app, call, add, signIn, ask };
}

describe('a user', () => {
  it('signs in with name and password, with the name in any case, and has the role of the user', async () => {
    const { add, signIn, ask, call } = open();
    await add('Alice', { role: 'operator', factories: ['payments'] });
    const session = await signIn('aLICE');
    expect(session.json().user).toEqual({
      id: expect.stringMatching(/^usr_/),
      name: 'Alice',
      role: 'operator',
      factories: ['payments'],
      kind: 'local',
    });
    expect((await ask(session, 'GET', '/factories')).json().data).toHaveLength(1);
    expect((await ask(session, 'GET', '/secrets')).statusCode).toBe(403);
    expect((await call('GET', '/users')).json().data[0]).toMatchObject({
      name: 'Alice',
      kind: 'local',
      disabled: false,
      last_sign_in_at: '2026-01-02T03:04:05.678Z',
    });
  });

  it('is never shown with the password or its hash, and is stored with argon2id', async () => {
    const { add, call, services } = open();
    await add('alice');
    const { passwordHash } = (await services.users.findLocal('alice'))!;
    expect(passwordHash).toMatch(/^\$argon2id\$v=19\$/);
    const shown = (await call('GET', '/users')).body + services.seen.logLines.join();
    for (const secret of [PASSWORD, '$argon2', passwordHash]) expect(shown).not.toContain(secret);
  });

  it('has a name that nobody else has', async () => {
    const { add, call } = open();
    await add('alice');
    const again = await call('POST', '/users', { name: 'ALICE', role: 'owner', password: PASSWORD });
    expect([again.statusCode, again.json().code]).toEqual([409, 'conflict']);
  });

  it.each([
    { password: 'short' },
    { password: 'elevenchars' },
    { password: 'aaaaaaaaaaaaaaaa' },
    { password: 'x1'.repeat(200) },
    { name: 'a-name-of-some-length', password: 'A-NAME-of-some-length' },
    { name: '' },
    { name: '-x' },
    { name: 'a b' },
    { name: 'a\nb' },
    { role: 'god' },
    { factories: ['nowhere'] },
    { factories: [] },
    { kind: 'oidc' },
    { id: 'usr_1' },
  ])('is not made with %j', async (more) => {
    const { call, services } = open();
    const body = { name: 'alice', role: 'viewer', password: PASSWORD, ...more };
    expect((await call('POST', '/users', body)).statusCode).toBe(400);
    expect(await services.users.list()).toEqual([]);
  });

  it('may have a password in any script, however its characters are composed', async () => {
    const { add, signIn } = open();
    await add('alice', { password: 'Gänsefüßchen-Straße' });
    expect((await signIn('alice', 'Gänsefüßchen-Straße'.normalize('NFD'))).statusCode).toBe(200);
  });
});

describe('a rejected password', () => {
  it('is answered alike whether the user is there, disabled, or not', async () => {
    const { add, signIn, call } = open();
    await add('alice');
    const { id } = await add('bob');
    await call('PATCH', `/users/${id}`, { disabled: true });
    const answers = [
      await signIn('alice', OTHER),
      await signIn('bob'),
      await signIn('nobody'),
      await signIn('a b\n<x>'),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 401]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  });

  it('takes as long for a user who does not exist', async () => {
    const { add, signIn, services } = open();
    await add('alice');
    await signIn('nobody', OTHER);
    const compared: (string | null)[] = [];
    const { verify } = services.passwords;
    services.passwords.verify = (hash, password, guard) => {
      compared.push(hash);
      return verify(hash, password, guard);
    };
    // Time of the processor, the threads of argon2id included: on a busy machine the clock says little.
    const measureCpu = async (name: string) => {
      const before = process.cpuUsage();
      await signIn(name, OTHER);
      // Together, because the system divides them by its ticks: a short time can be all one or the other.
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const [known, unknown] = [await measureCpu('alice'), await measureCpu('nobody')];
    // Both go through one argon2id; without it the second would take a hundredth.
    expect(unknown).toBeGreaterThan(known / 5);
    expect(compared).toEqual([expect.stringContaining('$argon2id'), null]);
  });

  it('is rejected unchecked after 10 guesses for one user from any address, also the right one', async () => {
    const { add, signIn, services } = open();
    await add('alice');
    for (let guess = 0; guess < 10; guess++) {
      expect((await signIn(guess % 2 ? 'alice' : 'ALICE', OTHER, `192.0.2.${guess}`)).statusCode).toBe(401);
    }
    const limited = await signIn('alice', PASSWORD, '198.51.100.1');
    expect([limited.statusCode, limited.json().code, limited.headers['retry-after']]).toEqual([
      429,
      'too_many_requests',
      '900',
    ]);
    services.clock.advance(15 * 60_000);
    expect((await signIn('alice')).statusCode).toBe(200);
  });

  it('does not lock a user out at an address where they signed in before', async () => {
    const { add, signIn } = open();
    await add('alice');
    expect((await signIn('alice', PASSWORD, '203.0.113.5')).statusCode).toBe(200);
    for (let guess = 0; guess < 11; guess++) await signIn('alice', OTHER, '192.0.2.9');
    for (let guess = 0; guess < 11; guess++) await signIn('203.0.113.5 alice', OTHER, '192.0.2.9');
    expect((await signIn('alice', PASSWORD, '198.51.100.1')).statusCode).toBe(429);
    expect((await signIn('alice', PASSWORD, '203.0.113.5')).statusCode).toBe(200);
  });

  it('is rejected unchecked after 20 guesses from one address, also if they are concurrent', async () => {
    const { signIn } = open();
    const answers = await Promise.all(Array.from({ length: 40 }, (_, guess) => signIn(`user${guess}`, OTHER)));
    const seen = answers.filter(({ statusCode }) => statusCode === 401).length;
    expect(seen).toBeGreaterThanOrEqual(20);
    // Two at a time are compared: one more may have begun when the twentieth failed.
    expect(seen).toBeLessThanOrEqual(21);
  });

  it('of too many concurrent ones is rejected before it is compared', async () => {
    const { signIn } = open();
    const crowd = Array.from({ length: 100 }, (_, guess) => signIn('alice', OTHER, `198.51.100.${guess}`));
    const answers = await Promise.all(crowd);
    expect(answers.some(({ statusCode, headers }) => statusCode === 429 && headers['retry-after'] === '2')).toBe(true);
  });
});

describe('the sessions of a user', () => {
  const opened = async () => {
    const world = open();
    const { id } = await world.add('alice', { role: 'operator' });
    return { ...world, id, session: await world.signIn('alice') };
  };

  it.each([{ password: OTHER }, { disabled: true }])('end when an owner sets %j', async (change) => {
    const { ask, call, id, session } = await opened();
    expect((await call('PATCH', `/users/${id}`, change)).statusCode).toBe(200);
    expect((await ask(session)).statusCode).toBe(401);
    await call('PATCH', `/users/${id}`, { disabled: false });
    expect((await ask(session)).statusCode).toBe(401);
  });

  it('end with the user', async () => {
    const { ask, call, id, session } = await opened();
    expect((await call('DELETE', `/users/${id}`)).statusCode).toBe(204);
    expect((await ask(session)).statusCode).toBe(401);
    expect((await call('DELETE', `/users/${id}`)).statusCode).toBe(404);
  });

  it('have a new role and other factories from the next request on', async () => {
    const { ask, call, id, session } = await opened();
    await call('PATCH', `/users/${id}`, { role: 'viewer', factories: ['other'] });
    expect((await ask(session)).json().user).toMatchObject({ role: 'viewer', factories: ['other'] });
  });

  it('all end when the user changes their password, and a new one starts', async () => {
    const { ask, signIn, session } = await opened();
    const elsewhere = await signIn('alice');
    const body = { current_password: PASSWORD, new_password: OTHER };
    const changed = await ask(session, 'POST', '/session/password', body);
    expect(changed.statusCode).toBe(200);
    expect((await ask(session)).statusCode).toBe(401);
    expect((await ask(elsewhere)).statusCode).toBe(401);
    expect((await ask(changed)).statusCode).toBe(200);
    expect([(await signIn('alice')).statusCode, (await signIn('alice', OTHER)).statusCode]).toEqual([401, 200]);
  });

  it('do not suffice to change the password: the current one is asked for, and guesses are counted', async () => {
    const { ask, session } = await opened();
    const guess = () => ask(session, 'POST', '/session/password', { current_password: OTHER, new_password: OTHER });
    const weak = await ask(session, 'POST', '/session/password', { current_password: PASSWORD, new_password: 'weak' });
    expect(weak.statusCode).toBe(400);
    const statuses = [];
    for (let i = 0; i < 11; i++) statuses.push((await guess()).statusCode);
    expect(statuses).toEqual([...Array(10).fill(403), 429]);
  });
});

describe('the list of sessions', () => {
  const opened = async () => {
    const world = open();
    const { id } = await world.add('alice');
    const [first, second] = [await world.signIn('alice', PASSWORD, '192.0.2.1'), await world.signIn('alice')];
    const list = async () => (await world.ask(second, 'GET', '/sessions')).json().data;
    return { ...world, id, first, second, list };
  };

  it('shows everybody the own ones, which of them asks, and nothing of their cookies', async () => {
    const { list, add, signIn, first } = await opened();
    await add('bob');
    await signIn('bob');
    const sessions = await list();
    expect(sessions.map(({ current }: { current: boolean }) => current).sort()).toEqual([false, true]);
    expect(sessions[0]).toEqual({
      id: expect.stringMatching(/^ses_/),
      current: expect.any(Boolean),
      client_address: '192.0.2.1',
      user_agent: 'lightMyRequest',
      created_at: '2026-01-02T03:04:05.678Z',
      last_used_at: '2026-01-02T03:04:05.678Z',
      expires_at: '2026-01-02T15:04:05.678Z',
    });
    expect(JSON.stringify(sessions)).not.toContain(String(first.headers['set-cookie']).slice(9, 40));
  });

  it('omits sessions that were idle for too long', async () => {
    const { list, second, ask, services } = await opened();
    services.clock.advance(20 * 60_000);
    await ask(second);
    services.clock.advance(10 * 60_000);
    expect(await list()).toMatchObject([{ current: true }]);
  });

  it('is ended one by one, and as a whole but the one that asks', async () => {
    const { ask, signIn, first, second, list } = await opened();
    const third = await signIn('alice');
    const { data } = (await ask(first, 'GET', '/sessions')).json();
    const own = data.find(({ current }: { current: boolean }) => current).id;
    expect((await ask(second, 'DELETE', `/sessions/${own}`)).statusCode).toBe(204);
    expect((await ask(first)).statusCode).toBe(401);
    expect((await ask(second, 'DELETE', '/sessions')).statusCode).toBe(204);
    expect((await ask(third)).statusCode).toBe(401);
    expect(await list()).toMatchObject([{ current: true }]);
  });

  it('answers 404 for a session of somebody else and for none, and audits neither', async () => {
    const { add, call, signIn, ask, first, second } = await opened();
    await add('bob');
    const bob = await signIn('bob');
    const { data } = (await ask(first, 'GET', '/sessions')).json();
    for (const id of [...data.map((session: { id: string }) => session.id), 'ses_nobody']) {
      expect((await ask(bob, 'DELETE', `/sessions/${id}`)).statusCode).toBe(404);
      expect((await call('GET', `/audit?object=sessions/${id}`)).json().data).toEqual([]);
    }
    await ask(bob, 'DELETE', '/sessions');
    expect([(await ask(first)).statusCode, (await ask(second)).statusCode]).toEqual([200, 200]);
  });

  it('of each user is shown to owners, who end it', async () => {
    const { call, ask, id, first, second } = await opened();
    expect((await call('GET', `/users/${id}/sessions`)).json().data).toMatchObject([
      { current: false },
      { current: false },
    ]);
    expect((await call('DELETE', `/users/${id}/sessions`)).statusCode).toBe(204);
    expect([(await ask(first)).statusCode, (await ask(second)).statusCode]).toEqual([401, 401]);
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await call(method, '/users/usr_nobody/sessions')).statusCode).toBe(404);
    }
  });
});

describe('the last owner', () => {
  it.each([
    ['PATCH', { role: 'manager' }],
    ['PATCH', { factories: ['payments'] }],
    ['PATCH', { disabled: true }],
    ['DELETE', undefined],
  ] as const)('stays: %s %j is a conflict', async (method, body) => {
    const { add, call } = open();
    const { id } = await add('alice', { role: 'owner' });
    await add('limited', { role: 'owner', factories: ['payments'] });
    const answer = await call(method, `/users/${id}`, body);
    expect([answer.statusCode, answer.json().detail]).toEqual([409, expect.stringContaining('last owner')]);
    await add('bob', { role: 'owner' });
    expect((await call(method, `/users/${id}`, body)).statusCode).toBeLessThan(300);
  });

  it('stays also when two owners remove each other at the same moment', async () => {
    const { add, call } = open();
    const owners = [await add('alice', { role: 'owner' }), await add('bob', { role: 'owner' })];
    const answers = await Promise.all(owners.map(({ id }) => call('DELETE', `/users/${id}`)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 409]);
  });
});
