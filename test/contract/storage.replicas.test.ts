import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { Storage } from '../../src/domain/ports/storage.ts';
import type { DeliveryOffer, RecordOutcome } from '../../src/domain/resources/delivery.ts';
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { RUN_TURNS } from '../../src/storage/postgres/run-turns.ts';
import { OPERATION_RIGHTS, rightOf } from '../../src/storage/thread/operation-rights.ts';
import { applyOneOfEach, buildAutomation, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, ids, START_MS } from '../helpers/build-offer.ts';
import { eventually } from '../helpers/eventually.ts';
import { type GroupMember, joinAsMember } from '../helpers/group-member.ts';
import { PostgresProxy } from '../helpers/postgres-proxy.ts';
import { withClient } from '../helpers/start-postgres.ts';

interface Member extends GroupMember {
  id: string;
  /** Writes what only the leader may write. */
  lead(): Promise<unknown>;
}

let databases = 0;
let url: string;
const members: Member[] = [];

beforeEach(async () => {
  const server = inject('postgresUrl');
  const name = `replicas_${process.pid}_${++databases}`;
  await withClient(`${server}/postgres`, (client) => client.query(`CREATE DATABASE ${name}`));
  url = `${server}/${name}`;
});

afterEach(async () => {
  for (const member of members.splice(0)) await member.leave();
});

async function join(id: string): Promise<Member> {
  const joined = await joinAsMember(url, id);
  const lead = () => joined.storage.pauses.resume({ factory: 'payments', automation: '' });
  const member = { ...joined, id, lead };
  members.push(member);
  return member;
}

type AnyPort = Record<string, (...args: unknown[]) => Promise<unknown>>;

const ALL_OPERATIONS = Object.entries(OPERATION_RIGHTS).flatMap(([port, operations]) =>
  Object.keys(operations).map((operation) => [port as keyof Storage, operation] as const),
);

/** The code with which an operation fails; `null` if it succeeds, or fails because it has no arguments. */
async function codeOf(operation: Promise<unknown>): Promise<string | null> {
  const outcome = await operation.catch((error: unknown) => error);
  return outcome instanceof AppError ? outcome.code : null;
}

/** Claims and ends runs one by one, until none is left. */
async function takeAll({ id, storage }: Member): Promise<string[]> {
  const taken: string[] = [];
  for (;;) {
    const order = { factory: FACTORY, executor: 'command', limit: 1, at: START_MS, machine: `machine of ${id}` };
    const [input] = (await storage.runQueue.claim(order)).inputs;
    if (input === undefined) return taken;
    const { run } = input;
    const result = { state: 'succeeded', error: null, exitCode: 0 } as const;
    await storage.runQueue.finish({ id: run.id, attempt: run.attempt, machine: order.machine, result, at: START_MS });
    taken.push(run.id);
  }
}

/** Number of transactions that PostgreSQL rolled back. */
function countRollbacks(): Promise<number> {
  return count('SELECT xact_rollback::int AS count FROM pg_stat_database WHERE datname = current_database()');
}

/** Number of sessions that have a turn, or wait for one. */
function countTurns(): Promise<number> {
  // The tests share a server, and its view has the locks in all databases.
  const here = '(SELECT oid FROM pg_database WHERE datname = current_database())';
  return count(
    `SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND classid = ${RUN_TURNS} AND database = ${here}`,
  );
}

function count(sql: string): Promise<number> {
  return withClient(url, async (client) => (await client.query(sql)).rows[0].count);
}

const isLeading = ({ membership }: Member) => membership.epoch() !== null;
const NOT_LEADING = { code: 'not_leading' };

describe('the group of the daemons on one database', () => {
  it('has one leader, and only it may write what is the leader’s', async () => {
    const [one, two] = [await join('one'), await join('two')];
    expect([one.membership.epoch(), two.membership.epoch()]).toEqual([1, null]);
    expect(one.events[0]).toEqual({ event: 'leading', epoch: 1 });
    await one.lead();
    await expect(two.lead()).rejects.toMatchObject(NOT_LEADING);
    await members.shift()!.leave();
    await eventually(() => isLeading(two));
    expect(two.membership.epoch()).toBe(2);
    await two.lead();
  });

  it('rejects on a follower exactly the operations that only the leader performs', async () => {
    await join('one');
    const { storage } = await join('two');
    const rejected: string[] = [];
    for (const [port, operation] of ALL_OPERATIONS) {
      const code = await codeOf((storage[port] as unknown as AnyPort)[operation]!());
      if (code === 'not_leading') rejected.push(`${port}.${operation}`);
    }
    // Without arguments, no request names the machine that executes an attempt.
    const led = ALL_OPERATIONS.filter(([port, operation]) => ['leads', 'executes'].includes(rightOf(port, operation)));
    expect(rejected).toEqual(led.map(([port, operation]) => `${port}.${operation}`));
  });

  it('ends the term of a leader without a sign of life, whose writes fail from then on', async () => {
    const [one, two] = [await join('one'), await join('two')];
    // The leader is frozen: its signs of life are old, and it does nothing.
    const freeze = setInterval(() => void age('one'), 20);
    await eventually(() => isLeading(two));
    clearInterval(freeze);
    await expect(one.lead()).rejects.toMatchObject(NOT_LEADING);
    await eventually(() => one.deposed.length > 0);
    expect(one.deposed).toEqual(['not_leading']);
    await two.lead();
  });

  it('begins a new term only when the transactions of the earlier leader have ended', async () => {
    const [one, two] = [await join('one'), await join('two')];
    const blocker = new Client({ connectionString: url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE pauses IN ACCESS EXCLUSIVE MODE');
    const written = one.lead();
    await pause(200);
    await one.membership.leave();
    await pause(3000);
    expect(isLeading(two)).toBe(false);
    await blocker.query('COMMIT');
    await written;
    await eventually(() => isLeading(two));
    await blocker.end();
  });

  it('claims and ends runs on all replicas without a conflict', async () => {
    const all = [await join('one'), await join('two'), await join('three'), await join('four')];
    const { webhook, version } = await applyOneOfEach(all[0]!.storage);
    const runs = [{ automation: buildAutomation().name, version }];
    await all[0]!.storage.deliveryLog.record(Array.from({ length: 60 }, () => buildOffer({ webhook, runs })));
    const taken = await Promise.all(all.map((member) => takeAll(member)));
    expect(new Set(taken.flat()).size).toBe(60);
    expect(taken.flat()).toHaveLength(60);
    // PostgreSQL counts the transactions of a session at the latest when it ends.
    for (const member of members.splice(0).reverse()) await member.leave();
    expect(await countRollbacks()).toBe(0);
  });

  it('accepts one delivery of each key on all replicas, with two keys in batches of different orders', async () => {
    const all = [await join('one'), await join('two'), await join('three'), await join('four')];
    const { webhook } = await applyOneOfEach(all[0]!.storage);
    const offers: DeliveryOffer[] = [];
    const outcomes = new Map<string, RecordOutcome>();
    const recordRounds = async ({ storage }: Member, at: number) => {
      for (let round = 0; round < 15; round += 1) {
        // Each replica counts with another step, so that their batches have the keys in different orders.
        const batch = Array.from({ length: 12 }, (_, index) => {
          const n = (round * 5 + index * [1, 5, 7, 11][at]!) % 24;
          return buildOffer({ webhook, source: 'provider', key: `id ${(n + at) % 30}`, bodyKey: `body ${n}` });
        });
        offers.push(...batch);
        const recorded = await storage.deliveryLog.record(batch);
        for (const [index, { id }] of batch.entries()) outcomes.set(id, recorded[index]!);
      }
    };
    await Promise.all(all.map(recordRounds));
    const keysOf = ({ identity: { key, bodyKey } }: DeliveryOffer) => [key, bodyKey];
    const accepted = offers.filter(({ id }) => outcomes.get(id)!.label === 'Accepted');
    const keys = accepted.flatMap(keysOf);
    expect(new Set(keys).size).toBe(keys.length);
    const byId = new Map(accepted.map((offer) => [offer.id, offer]));
    for (const offer of offers.filter(({ id }) => !byId.has(id))) {
      const outcome = outcomes.get(offer.id)!;
      expect(outcome.label).toBe('Duplicate');
      const earlier = byId.get((outcome as { of: DeliveryOffer['id'] }).of)!;
      expect(keysOf(offer).some((key) => keysOf(earlier).includes(key))).toBe(true);
    }
    const claims = await count('SELECT count(*)::int AS count FROM identities');
    expect(claims).toBe(keys.length);
  });

  it('gives up its turn after each operation on runs, also after one that failed', async () => {
    const [one, two] = [await join('one'), await join('two')];
    await one.storage.runQueue.admit({ factory: FACTORY, at: START_MS });
    expect(await countTurns()).toBe(0);
    await expect(two.storage.runQueue.admit({ factory: FACTORY, at: START_MS })).rejects.toMatchObject(NOT_LEADING);
    expect(await countTurns()).toBe(0);
  });

  it('keeps its leader when all connections are cut', async () => {
    const one = await join('one');
    await withClient(url, (client) =>
      client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      ),
    );
    await eventually(() => one.events.some(({ event }) => event === 'reconnected'));
    expect(one.membership.epoch()).toBe(1);
    await one.lead();
    expect(one.deposed).toEqual([]);
  });

  it('gives messages to all others, in the order in which they were committed', async () => {
    const [one, two, three] = [await join('one'), await join('two'), await join('three')];
    const received = ({ events }: Member) =>
      events.flatMap((event) => (event.event === 'received' ? [event.message] : []));
    await withClient(url, (client) => client.query("NOTIFY dockbell, 'of another program'"));
    await one.storage.replicas.announce({ kind: 'secret', name: 'FIRST' });
    await two.storage.replicas.announce({ kind: 'secret', name: 'SECOND' });
    // Each member has its own connection, so they do not receive at the same time.
    await eventually(() => [one, two, three].every((member, i) => received(member).length >= (i === 2 ? 2 : 1)));
    expect(received(three)).toMatchObject([{ name: 'FIRST' }, { name: 'SECOND' }]);
    expect(received(one)).toMatchObject([{ name: 'SECOND' }]);
    expect(received(two)).toMatchObject([{ name: 'FIRST' }]);
  });

  it('lists who gives signs of life, with what each described', async () => {
    const [one, two] = [await join('one'), await join('two')];
    const description = {
      name: 'a',
      version: '1',
      adminUrl: null,
      ingressUrl: null,
      startedAt: 5,
      live: { payments: 3 },
    };
    await one.storage.replicas.describe(description);
    await two.storage.replicas.describe({ ...description, name: 'b', startedAt: 6 });
    const listed = await two.storage.replicas.list();
    expect(listed).toMatchObject([
      { id: 'one', name: 'a', isLeader: true, live: { payments: 3 } },
      { id: 'two', name: 'b', isLeader: false },
    ]);
    expect(Math.max(...listed.map(({ seenMsAgo }) => seenMsAgo))).toBeLessThan(15_000);
    await members.shift()!.leave();
    expect((await two.storage.replicas.list()).map(({ id }) => id)).toEqual(['two']);
  });
});

async function age(id: string): Promise<void> {
  await withClient(url, (client) =>
    client.query("UPDATE replicas SET seen_at = clock_timestamp() - interval '1 minute' WHERE id = $1", [id]),
  );
}

it('reports a lost connection to PostgreSQL as a storage that is not available, also for the table of replicas', async () => {
  const proxy = await PostgresProxy.start(url);
  const { replicas, runLogParts, tokens, close } = await openPostgresStorage({ url: proxy.urlOf(url), pool: 2 });
  await proxy.close();
  const operations = {
    list: () => replicas.list(),
    liveVersions: () => replicas.liveVersions(),
    liveMachines: () => replicas.liveMachines(),
    announce: () => replicas.announce({ kind: 'joined' }),
    orderCancel: () => replicas.orderCancel(ids.runId(START_MS), 1),
    cancelOrders: () => replicas.cancelOrders([{ id: ids.runId(START_MS), attempt: 1 }]),
    parts: () => runLogParts.totalBytes(),
    tokens: () => tokens.list(),
  };
  const codes = Object.entries(operations).map(async ([name, operation]) => [name, await codeOf(operation())]);
  expect(await Promise.all(codes)).toEqual(Object.keys(operations).map((name) => [name, 'storage_unavailable']));
  await close();
});
