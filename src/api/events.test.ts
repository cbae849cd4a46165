import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createFakeAdminServices,
  type FakeAdminServices,
  HOSTILE_TEXT,
  makeDelivery,
  makeReconciliation,
  makeRun,
} from '../../test/helpers/admin-services.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import type { Role } from '../core/access.ts';
import { EventHub } from '../events/event-hub.ts';
import { createAdminServer } from './create-admin-server.ts';

let hub: EventHub;
let services: FakeAdminServices;
let app: ReturnType<typeof createAdminServer>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  services = createFakeAdminServices();
  hub = new EventHub(services.clock, 'e');
  services.events = hub;
  app = createAdminServer(services);
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
  it('tells deliveries, runs and reconciliations as the other routes show them, on one line each', async () => {
    const follower = await follow();
    expect([follower.status, follower.headers['content-type']]).toEqual([200, 'text/event-stream']);
    hub.publish({ kind: 'delivery', delivery: makeDelivery() });
    hub.publish({ kind: 'run', run: makeRun() });
    hub.publish({ kind: 'reconciliation', reconciliation: makeReconciliation() });
    await settle();
    const [ready, delivery, run, reconciliation] = follower.events();
    expect(ready).toEqual(['ready', {}]);
    const headers = { authorization: `Bearer ${services.grant('viewer')}` };
    const shown = async (url: string) => (await app.inject({ url, headers })).json();
    expect(delivery).toEqual(['delivery', await shown(`/api/v1/deliveries/${makeDelivery().id}`)]);
    expect(delivery![1].delivery_id).toBe(HOSTILE_TEXT);
    expect(run).toEqual(['run', await shown(`/api/v1/runs/${makeRun().id}`)]);
    const { plan, diagnostics, ...rest } = await shown(
      `/api/v1/factories/payments/reconciliations/${makeReconciliation().id}`,
    );
    expect([plan, diagnostics]).toBeTruthy();
    expect(reconciliation).toEqual(['reconciliation', rest]);
    expect(follower.text()).toMatch(/^retry: 3000\n\nid: e-0\nevent: ready\ndata: \{\}\n\nid: e-1\nevent: delivery\n/);
  });

  it('tells only of the factories that the token reaches, and of the one that was asked for', async () => {
    const limited = await follow({ factories: ['payments'] });
    const narrowed = await follow({ query: '?factory=other' });
    const outside = await follow({ factories: ['payments'], query: '?factory=other' });
    for (const factory of ['payments', 'other']) hub.publish({ kind: 'run', run: makeRun({ factory }) });
    await settle();
    const factories = (follower: Follower) =>
      follower.events().flatMap(([name, { factory }]) => (name === 'run' ? [factory] : []));
    expect([limited, narrowed, outside].map(factories)).toEqual([['payments'], ['other'], []]);
  });

  it('goes on after the event that was seen last, or says that too much was missed', async () => {
    await follow();
    for (const attempt of [1, 2, 3]) hub.publish({ kind: 'run', run: makeRun({ attempt }) });
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

  it('begins where the reader was asked who it is, and goes on where it was cut off', async () => {
    const headers = { authorization: `Bearer ${services.grant('viewer')}` };
    const ask = async () => (await app.inject({ url: '/api/v1/session', headers })).json().last_event_id as string;
    (await follow()).stream.destroy();
    const before = await ask();
    hub.publish({ kind: 'run', run: makeRun({ attempt: 2 }) });
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

  it('sends a comment now and then, and ends when the token is revoked', async () => {
    const follower = await follow();
    vi.advanceTimersByTime(15_000);
    await settle();
    expect(follower.text().endsWith('\n:\n\n')).toBe(true);
    expect(follower.stream.readableEnded).toBe(false);
    services.revokeAll();
    vi.advanceTimersByTime(15_000);
    await settle();
    expect(follower.stream.readableEnded).toBe(true);
    expect(hub.isHeard()).toBe(true);
    services.clock.advance(60_000);
    expect(hub.isHeard()).toBe(false);
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
    expect(hub.isHeard()).toBe(false);
  });

  it('has room for a hundred readers', async () => {
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const away = new AbortController();
    const headers = { authorization: `Bearer ${services.grant('viewer')}` };
    await fetch(`${url}/api/v1/events`, { headers, signal: away.signal });
    await Promise.all(Array.from({ length: 99 }, () => follow()));
    expect((await follow()).status).toBe(429);
    away.abort();
    await eventually(async () => (await follow()).status === 200);
  });

  it('ends with the server, and a HEAD opens none', async () => {
    const headers = { authorization: `Bearer ${services.grant('viewer')}` };
    expect((await app.inject({ method: 'HEAD', url: '/api/v1/events', headers })).statusCode).toBe(404);
    const follower = await follow();
    const ended = new Promise((resolve) => follower.stream.once('end', resolve));
    await app.close();
    await ended;
  });
});
