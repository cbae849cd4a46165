import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import type { ClaimRequest } from '../../src/domain/ports/run-queue.ts';
import { applyFactory, buildAutomation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { eventually } from '../helpers/eventually.ts';
import { type GroupMember, joinAsMember } from '../helpers/group-member.ts';
import { withClient } from '../helpers/start-postgres.ts';

const AT = START_MS + 1000;
const SUCCEEDED = { state: 'succeeded', error: null, exitCode: 0 } as const;
const NOT_LEADING = { code: 'not_leading' };

let databases = 0;
let url: string;
let members: GroupMember[] = [];
let leader: GroupMember;
let follower: GroupMember;
beforeEach(async () => {
  const server = inject('postgresUrl');
  const name = `shared_runs_${process.pid}_${++databases}`;
  await withClient(`${server}/postgres`, (client) => client.query(`CREATE DATABASE ${name}`));
  url = `${server}/${name}`;
  members = [];
  for (const id of ['one', 'two', 'three', 'four']) members.push(await joinAsMember(url, id));
  [leader, follower] = members as [GroupMember, GroupMember];
});
afterEach(async () => {
  for (const member of members) await member.leave();
});

/** Records `count` deliveries with one run each. */
async function recordRuns(
  count: number,
  automation: Parameters<typeof buildAutomation>[0] = {},
  concurrencyKey?: string,
): Promise<void> {
  const applied = await applyFactory(leader.storage, {
    webhooks: [buildWebhook()],
    automations: [buildAutomation(automation)],
  });
  const run = { automation: 'fix-errors', version: applied.automations[0]!.version };
  const runs = [concurrencyKey === undefined ? run : { ...run, concurrencyKey }];
  const webhook = applied.webhooks[0]!.ref;
  const offers = Array.from({ length: count }, (_, index) => buildOffer({ webhook, body: `${index}`, runs }));
  await follower.storage.deliveryLog.record(offers);
}

/** Claims as the daemon of this member does. */
async function claim({ storage, machine }: GroupMember, more: Partial<ClaimRequest> = {}): Promise<RunId[]> {
  const request = { factory: FACTORY, executor: 'command', limit: 5, at: AT, machine, ...more } as const;
  return (await storage.runQueue.claim(request)).inputs.map(({ run }) => run.id);
}

/** All members claim at the same time. */
async function claimTogether(more: Partial<ClaimRequest> = {}): Promise<RunId[]> {
  return (await Promise.all(members.map((member) => claim(member, more)))).flat();
}

describe('runs that the daemons of a group claim at the same time', () => {
  it('start once each, and never more than the concurrency of the factory together', async () => {
    await recordRuns(30);
    const first = await claimTogether({ concurrency: 7 });
    expect(new Set(first).size).toBe(7);
    expect(first).toHaveLength(7);
    expect(await claimTogether({ concurrency: 7 })).toEqual([]);
    const { running } = await leader.storage.runReader
      .list({ factory: FACTORY, limit: 50, cursor: null, state: 'running' })
      .then(({ data }) => ({ running: data.length }));
    expect(running).toBe(7);
    const all = new Set(first);
    while (all.size < 30) {
      const claimed = await claimTogether();
      for (const id of claimed) {
        expect(all.has(id)).toBe(false);
        all.add(id);
      }
    }
  });

  it('stay within the budgets of their factory and of their automation', async () => {
    await recordRuns(12, { budget: { runs: 6, per: '1h' } });
    const budget = { runs: 4, perMs: 3_600_000, over: 'queue' } as const;
    expect(await claimTogether({ budget })).toHaveLength(4);
    expect(await claimTogether()).toHaveLength(2);
    expect(await claimTogether()).toHaveLength(0);
  });

  it('start one after the other if they have the same concurrency key', async () => {
    await recordRuns(3, { concurrency: { key: 'pr' } }, '["1"]');
    for (let turn = 0; turn < 3; turn += 1) {
      const claimed = await claimTogether();
      expect(claimed).toHaveLength(1);
      const holder = await findHolder(claimed[0]!);
      await holder.storage.runQueue.finish({
        id: claimed[0]!,
        attempt: 1,
        machine: holder.machine,
        result: SUCCEEDED,
        at: AT,
      });
    }
    expect(await claimTogether()).toEqual([]);
  });

  it('do not start while their factory is paused', async () => {
    await recordRuns(2);
    const actor = { kind: 'local', id: 'usr_a', name: 'alice' } as const;
    const pause = { factory: FACTORY, automation: '', pausedAt: AT, pausedBy: actor, reason: null };
    await leader.storage.pauses.pause(pause);
    expect(await claimTogether()).toEqual([]);
  });
});

async function findHolder(id: RunId): Promise<GroupMember> {
  const running = await leader.storage.runQueue.running('command');
  const { machine } = running.find(({ run }) => run.id === id)!;
  return members.find((member) => member.machine === machine)!;
}

describe('an attempt', () => {
  it('is changed by the daemon whose machine executes it, and by the leader', async () => {
    await recordRuns(2);
    const [first, second] = (await claim(follower)) as [RunId, RunId];
    const end = { attempt: 1, result: SUCCEEDED, at: AT };
    const { runQueue } = follower.storage;
    await expect(runQueue.finish({ id: first, ...end })).rejects.toMatchObject(NOT_LEADING);
    await expect(runQueue.finish({ id: first, ...end, machine: leader.machine })).rejects.toMatchObject(NOT_LEADING);
    await expect(claim(follower, { machine: null })).rejects.toMatchObject(NOT_LEADING);
    expect(await runQueue.finish({ id: first, ...end, machine: follower.machine })).toEqual({ nextAttemptAt: null });
    expect(await leader.storage.runQueue.finish({ id: second, ...end })).toEqual({ nextAttemptAt: null });
    // The same end is a repeated request. Another one comes too late.
    expect(await runQueue.finish({ id: second, ...end, machine: follower.machine })).toEqual({ nextAttemptAt: null });
    expect(await runQueue.finish({ id: second, ...end, at: AT + 1, machine: follower.machine })).toBeNull();
  });

  it('is cancelled by the order of another daemon, also if its message is lost', async () => {
    await recordRuns(2);
    const [first, second] = (await claim(follower)) as [RunId, RunId];
    await leader.storage.replicas.orderCancel(first, 1);
    await eventually(() =>
      follower.events.some((event) => event.event === 'received' && event.message.kind === 'cancel'),
    );
    const held = [first, second].map((id) => ({ id, attempt: 1 }));
    expect(await follower.storage.replicas.cancelOrders(held)).toEqual([first]);
    expect(await follower.storage.replicas.cancelOrders(held.map(({ id }) => ({ id, attempt: 2 })))).toEqual([]);
    expect(await follower.storage.replicas.cancelOrders([])).toEqual([]);
  });
});

describe('the lease of the runs of a machine', () => {
  const live = async () => (await leader.storage.replicas.liveMachines()).sort();
  const renewals = ({ events }: GroupMember) => events.filter((event) => event.event === 'renewed');

  it('is renewed by signs of life, and ends without them', async () => {
    await eventually(async () => (await live()).length === 4);
    const before = renewals(follower).length;
    await withClient(url, (client) =>
      client.query("UPDATE replicas SET lease_until = clock_timestamp() - interval '1 second' WHERE id = 'two'"),
    );
    expect(await live()).toEqual(['machine of four', 'machine of one', 'machine of three']);
    // The daemon was frozen, or did not reach the database: it learns with its next sign of life that the lease had ended.
    await eventually(() => renewals(follower).length > before);
    expect(renewals(follower).map(({ wasLost }) => wasLost)).toContain(true);
    expect(await live()).toContain('machine of two');
  });

  it('ends when its daemon leaves', async () => {
    await eventually(async () => (await live()).length === 4);
    await members.pop()!.leave();
    expect(await live()).toEqual(['machine of one', 'machine of three', 'machine of two']);
  });
});
