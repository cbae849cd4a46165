import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/helpers/eventually.ts';
import {
  createSeededServer,
  createSeededServices,
  HOSTILE_TEXT,
  makeAttempt,
  makeDelivery,
  makeReconciliation,
  makeRun,
  type SeededServices,
} from '../../../test/helpers/seeded-services.ts';
import type { Role } from '../../domain/access/access.ts';
import { EventHub } from '../../operations/events/event-hub.ts';
import { FailedAttempts } from '../auth/failed-attempts.ts';

let hub: EventHub;
let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  services = createSeededServices();
  hub = new EventHub(services.clock, 'e');
  services.events = hub;
  app = createSeededServer(services);
});
afterEach(async () => {
  await app.close();
  vi.useRealTimers();
});

interface Follower {
  status: number;
  headers: Record<string, unknown>;
  stream: Readable;
  /** All that has come so far. */
  text(): string;
  /** Name and data of the events so far. */
  events(): [name: string, data: Record<string, unknown>][];
}

async function follow(
  more: { role?: Role; factories?: string[]; query?: string; after?: string } = {},
): Promise<Follower> {
  const { role = 'viewer', factories = null, query = '', after } = more;
  const headers = {
    authorization: `Bearer ${services.grant(role, factories)}`,
    ...(after === undefined ? {} : { 'last-event-id': after }),
  };
  const answer = await app.inject({ url: `/api/v1/events${query}`, headers, payloadAsStream: true });
  const stream = answer.stream();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
  const text = () => Buffer.concat(chunks).toString('utf8');
  const events = () =>
    [...text().matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data]): [string, Record<string, unknown>] => [
      name!,
      JSON.parse(data!),
    ]);
  return { status: answer.statusCode, headers: answer.headers, stream, text, events };
}

/** What was written is read a few turns later. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('GET /events', () => {
  it('sends deliveries, runs and reconciliations as the other routes show them, on one line each', async () => {
    const follower = await follow();
    expect([follower.status, follower.headers['content-type']]).toEqual([200, 'text/event-stream']);
    hub.publish({ kind: 'delivery', delivery: makeDelivery() });
    hub.publish({ kind: 'run', run: makeRun(), attempts: [makeAttempt()] });
    hub.publish({ kind: 'reconciliation', reconciliation: makeReconciliation() });
    hub.publish({ kind: 'pull_requests', factory: 'payments' });
    await settle();
    const [ready, delivery, run, reconciliation, pullRequests] = follower.events();
    expect(pullRequests).toEqual(['pull_requests', { factory: 'payments' }]);
    expect(ready).toEqual(['ready', {}]);
    const headers = { authorization: `Bearer ${services.grant('viewer')}` };
    const shown = async (url: string) => (await app.inject({ url, headers })).json();
    expect(delivery).toEqual(['delivery', await shown(`/api/v1/deliveries/${makeDelivery().id}`)]);
    expect(delivery![1].delivery_id).toBe(HOSTILE_TEXT);
    // Only the answer about one run reads the context from the payload.
    const { context, ...shownRun } = await shown(`/api/v1/runs/${makeRun().id}`);
    expect(context).toEqual({});
    expect(run).toEqual(['run', shownRun]);
    const { plan, diagnostics, ...rest } = await shown(
      `/api/v1/factories/payments/reconciliations/${makeReconciliation().id}`,
    );
    expect([plan, diagnostics]).toBeTruthy();
    expect(reconciliation).toEqual(['reconciliation', rest]);
    expect(follower.text()).toMatch(/^retry: 3000\n\nid: e-0\nevent: ready\ndata: \{\}\n\nid: e-1\nevent: delivery\n/);
  });

  it('sends only events of the factories that the token reaches, and of the requested one', async () => {
    const limited = await follow({ factories: ['payments'] });
    const narrowed = await follow({ query: '?factory=other' });
    for (const factory of ['payments', 'other']) hub.publish({ kind: 'run', run: makeRun({ factory }), attempts: [] });
    await settle();
    const factories = (follower: Follower) =>
      follower.events().flatMap(([name, { factory }]) => (name === 'run' ? [factory] : []));
    expect([limited, narrowed].map(factories)).toEqual([['payments'], ['other']]);
  });

  it('continues after the last event, or sends a reset if too much was missed', async () => {
    await follow();
    for (const attempt of [1, 2, 3]) hub.publish({ kind: 'run', run: makeRun({ attempt }), attempts: [] });
    const again = await follow({ after: 'e-1' });
    const late = await follow({ after: 'of-another-life-7' });
    await settle();
    expect(again.events().map(([name, { attempt }]) => [name, attempt])).toEqual([
      ['run', 2],
      ['run', 3],
      ['ready', undefined],
    ]);
    expect(late.events()).toEqual([['reset', {}]]);
    expect(late.text()).toContain('id: e-3\nevent: reset');
  });

  it('starts at the position of the session, and continues after a disconnect', async () => {
    const headers = { authorization: `Bearer ${services.grant('viewer')}` };
    const ask = async () => (await app.inject({ url: '/api/v1/session', headers })).json().last_event_id as string;
    (await follow()).stream.destroy();
    const before = await ask();
    hub.publish({ kind: 'run', run: makeRun({ attempt: 2 }), attempts: [] });
    const namesOf = async (more: Parameters<typeof follow>[0]) => {
      const follower = await follow(more);
      await settle();
      return follower.events().map(([name]) => name);
    };
    expect(await namesOf({ query: `?after=${before}` })).toEqual(['run', 'ready']);
    expect(await namesOf({ query: `?after=${await ask()}` })).toEqual(['ready']);
    expect(await namesOf({ query: `?after=${before}`, after: await ask() })).toEqual(['ready']);
    expect(await namesOf({ query: '?after=of-another-life-7' })).toEqual(['reset']);
  });

  it('sends a comment every 15 seconds', async () => {
    const follower = await follow();
    vi.advanceTimersByTime(15_000);
    await settle();
    expect(follower.text().endsWith('\n:\n\n')).toBe(true);
    expect(follower.stream.readableEnded).toBe(false);
  });

  describe('when its credential loses its rights', { timeout: 10_000 }, () => {
    const owner = () => ({ authorization: `Bearer ${services.grant('owner')}` });
    const change = async (
      method: 'POST' | 'PATCH' | 'DELETE',
      url: string,
      payload?: object,
      headers: object = owner(),
    ) =>
      app.inject({
        method,
        url: `/api/v1${url}`,
        headers: { ...headers },
        ...(payload === undefined ? {} : { payload }),
      });

    async function signIn(credentials: object) {
      const answer = await change('POST', '/session', credentials, {});
      const cookie = String(answer.headers['set-cookie']).split(';')[0]!;
      return { cookie, 'x-csrf-token': answer.json().csrf_token as string };
    }

    /** Opens a stream; `end` resolves when the server ends it. */
    async function listen(headers: object) {
      const answer = await app.inject({ url: '/api/v1/events', headers: { ...headers }, payloadAsStream: true });
      expect(answer.statusCode).toBe(200);
      const stream = answer.stream().resume();
      return { stream, end: new Promise((resolve) => stream.once('end', resolve)) };
    }

    async function createUser() {
      const credentials = { username: 'alice', password: 'correct horse battery' };
      const { password } = credentials;
      const { id } = (await change('POST', '/users', { name: 'alice', role: 'operator', password })).json();
      return { id: id as string, credentials };
    }

    it('ends immediately after the token is revoked, and the streams of others go on', async () => {
      const { id, token } = (await change('POST', '/tokens', { name: 'ci', role: 'viewer' })).json();
      const revoked = await listen({ authorization: `Bearer ${token}` });
      const session = await listen(await signIn({ api_token: token }));
      const other = await listen(owner());
      expect((await change('DELETE', `/tokens/${id}`)).statusCode).toBe(204);
      await Promise.all([revoked.end, session.end]);
      expect(other.stream.readableEnded).toBe(false);
    });

    it('does not count as failed attempts to authenticate', async () => {
      services.failedAttempts = new FailedAttempts(
        { name: 'failed-authentications', limit: 1, windowMs: 60_000 },
        services.clock,
      );
      app = createSeededServer(services);
      const { id, token } = (await change('POST', '/tokens', { name: 'ci', role: 'viewer' })).json();
      const streams = await Promise.all([1, 2, 3].map(() => listen({ authorization: `Bearer ${token}` })));
      await change('DELETE', `/tokens/${id}`);
      await Promise.all(streams.map(({ end }) => end));
      expect((await change('POST', '/session', { api_token: 'x' }, {})).statusCode).toBe(401);
    });

    it('ends immediately after its user signs out', async () => {
      const headers = await signIn((await createUser()).credentials);
      const { end } = await listen(headers);
      await change('DELETE', '/session', undefined, headers);
      await end;
    });

    it.each([
      { role: 'viewer' },
      { factories: ['payments'] },
      { disabled: true },
      { password: 'another good password' },
    ])('ends immediately after an owner changes its user to %j', async (changed) => {
      const { id, credentials } = await createUser();
      const { end } = await listen(await signIn(credentials));
      expect((await change('PATCH', `/users/${id}`, changed)).statusCode).toBe(200);
      await end;
    });

    it('ends immediately after its user is deleted, or signed out everywhere', async () => {
      const { id, credentials } = await createUser();
      const first = await listen(await signIn(credentials));
      await change('DELETE', `/users/${id}/sessions`);
      await first.end;
      const second = await listen(await signIn(credentials));
      await change('DELETE', `/users/${id}`);
      await second.end;
    });

    it('ends at the moment when the session expires, and is forgotten by the hub', async () => {
      services.sessionIdleMs = 100;
      app = createSeededServer(services);
      const { stream, end } = await listen(await signIn({ api_token: services.grant('viewer') }));
      services.clock.advance(99);
      await settle();
      expect(stream.readableEnded).toBe(false);
      services.clock.advance(1);
      await end;
      await eventually(() => stream.destroyed);
      services.clock.advance(60_000);
      expect(hub.hasListeners()).toBe(false);
    });
  });

  it('answers 404 for a factory that does not exist or is out of reach', async () => {
    expect((await follow({ query: '?factory=nowhere' })).status).toBe(404);
    expect((await follow({ factories: ['payments'], query: '?factory=other' })).status).toBe(404);
    expect((await follow({ factories: ['payments'], query: '?factory=payments' })).status).toBe(200);
  });

  it('cuts a reader off that does not read', async () => {
    const headers = { authorization: `Bearer ${services.grant('viewer')}` };
    const answer = await app.inject({ url: '/api/v1/events', headers, payloadAsStream: true });
    const closed = new Promise((resolve) =>
      answer
        .stream()
        .on('error', () => {})
        .once('close', resolve),
    );
    const delivery = makeDelivery({ detail: 'x'.repeat(10_000) });
    for (let index = 0; index < 300; index++) hub.publish({ kind: 'delivery', delivery });
    await closed;
    services.clock.advance(60_000);
    expect(hub.hasListeners()).toBe(false);
  });

  it('has room for ten streams of one token and for a hundred in all', { tags: 'full' }, async () => {
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const away = new AbortController();
    const headers = { authorization: `Bearer ${services.grant('viewer')}` };
    const open = () => fetch(`${url}/api/v1/events`, { headers, signal: away.signal });
    const own = await Promise.all(Array.from({ length: 11 }, open));
    expect(own.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    const rejected = own.find(({ status }) => status === 429)!.headers;
    const fields = ['retry-after', 'ratelimit-policy', 'ratelimit'].map((name) => rejected.get(name));
    expect(fields).toEqual(['10', '"event-streams";q=10;qu="concurrent-requests"', '"event-streams";r=0;t=10']);
    await Promise.all(Array.from({ length: 90 }, () => follow()));
    expect((await follow()).status).toBe(429);
    away.abort();
    await eventually(async () => (await follow()).status === 200);
  });

  it('ends with the server, and a HEAD opens none', async () => {
    const headers = { authorization: `Bearer ${services.grant('viewer')}` };
    expect((await app.inject({ method: 'HEAD', url: '/api/v1/events', headers })).statusCode).toBe(405);
    const follower = await follow();
    const ended = new Promise((resolve) => follower.stream.once('end', resolve));
    await app.close();
    await ended;
  });
});
