import { describe, expect, it } from 'vitest';
import { applyCiFactory, configureCiFactory } from '../helpers/ci-factory.ts';
import { sendToCi, useCiOnPostgres } from '../helpers/ci-on-postgres.ts';
import { eventually } from '../helpers/eventually.ts';
import { PostgresProxy } from '../helpers/postgres-proxy.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import { RunTrail, type TrailedAttempt } from '../helpers/run-trail.ts';
import type { DaemonProcess } from '../helpers/test-daemon.ts';

const PATIENCE_MS = 60_000;

const ci = useCiOnPostgres();

interface Pair {
  leader: DaemonProcess;
  follower: DaemonProcess;
  trail: RunTrail;
  start(): Promise<void>;
  runs(): Promise<{ id: string; state: string; attempt: number; error: string | null }[]>;
}

/** Two daemons with room for 4 runs together, whose commands last some tenths of a second. */
async function startPair(name: string, lasts: number): Promise<Pair> {
  const trail = new RunTrail();
  const config = configureCiFactory(ci.repo, trail.command(lasts))!;
  const [factory] = config.factories as [{ runs: object }];
  const factories = [{ ...factory, runs: { ...factory.runs, retry: 'interrupted' } }];
  const url = await ci.server.createDatabase(name);
  const replicas = new TestReplicas(url, { config: { ...config, factories, replica: { runLease: '6s' } } });
  const leader = await replicas.start();
  const uid = await applyCiFactory(leader);
  const follower = await replicas.start();
  // Each daemon leaves a share of the runs to the others that it knows of.
  for (const daemon of [leader, follower]) await eventually(() => countsFollower(daemon), PATIENCE_MS);
  let n = 0;
  return {
    leader,
    follower,
    trail,
    start: async () => {
      n += 1;
      const answer = await sendToCi(leader, uid, { start: true, n });
      expect(answer.status).toBe(202);
    },
    runs: async () => (await leader.api('/factories/payments/runs')).body.data,
  };
}

async function countsFollower(daemon: DaemonProcess): Promise<boolean> {
  const { body } = await daemon.api('/../../metrics');
  return (body as string).includes('dockbell_replicas{role="follower"} 1');
}

/** Fills the room for runs, with some on both daemons. One of them may be quicker, so the first attempts may all be its. */
async function occupyBoth({ leader, follower, trail, start, runs }: Pair): Promise<TrailedAttempt[]> {
  for (let before = 0; ; before = trail.attempts().length) {
    for (let sent = 0; sent < 2; sent += 1) await start();
    const executed = await eventually(() => {
      const attempts = trail.attempts().slice(before);
      return attempts.length === 4 ? attempts : null;
    }, PATIENCE_MS);
    if ([leader, follower].every((daemon) => executed.some((attempt) => isOn(daemon, attempt)))) return executed;
    for (const { run } of executed) await leader.api(`/runs/${run}/cancel`, { method: 'POST' });
    await eventually(async () => (await runs()).every(({ state }) => state === 'cancelled'), PATIENCE_MS);
  }
}

const isOn = ({ dataDir }: DaemonProcess, { directory }: { directory: string }) => directory.startsWith(dataDir);

describe('runs of two daemons on one database', () => {
  it('are spread over both, never more than the limit together, and a replica that drains starts none', {
    tags: 'full',
  }, async () => {
    const { leader, follower, trail, start, runs } = await startPair('spread', 10);
    for (let sent = 0; sent < 6; sent += 1) await start();
    await eventually(async () => (await runs()).every(({ state }) => state === 'succeeded'), PATIENCE_MS);
    const attempts = trail.attempts();
    expect(attempts).toHaveLength(12);
    expect(new Set(attempts.map(({ run }) => run)).size).toBe(12);
    expect(trail.mostAtOnce()).toBe(4);
    for (const daemon of [leader, follower])
      expect(attempts.filter((attempt) => isOn(daemon, attempt)).length).toBeGreaterThanOrEqual(3);

    expect((await follower.cli('drain')).code).toBe(0);
    expect((await leader.api('/drain')).body.state).toBe('running');
    for (let sent = 0; sent < 2; sent += 1) await start();
    await eventually(async () => (await runs()).every(({ state }) => state === 'succeeded'), PATIENCE_MS);
    const later = trail.attempts().slice(attempts.length);
    expect(later).toHaveLength(4);
    expect(later.every((attempt) => isOn(leader, attempt))).toBe(true);
    await Promise.all([leader.end('SIGTERM'), follower.end('SIGTERM')]);
  });

  it('are executed once if the answer to the COMMIT of their claim is lost', { tags: 'full' }, async () => {
    const url = await ci.server.createDatabase('lost_claim');
    const proxy = await PostgresProxy.start(url);
    const trail = new RunTrail();
    const replicas = new TestReplicas(proxy.urlOf(url), { config: configureCiFactory(ci.repo, trail.command(1))! });
    const daemon = await replicas.start();
    const uid = await applyCiFactory(daemon);
    const isCut = proxy.cutCommitOf('insert into "run_attempts"');
    expect((await sendToCi(daemon, uid, { start: true })).status).toBe(202);
    await isCut;
    const states = async () =>
      (await daemon.api('/factories/payments/runs')).body.data.map(({ state }: { state: string }) => state);
    await eventually(async () => (await states()).every((state: string) => state === 'succeeded'), PATIENCE_MS);
    expect(trail.attempts().map(({ attempt }) => attempt)).toEqual((await states()).map(() => 1));
    await daemon.end('SIGTERM');
    await proxy.close();
  });

  it('are cancelled through any of them', { tags: 'full' }, async () => {
    const pair = await startPair('cancel', 600);
    const { leader, follower, runs } = pair;
    const executed = await occupyBoth(pair);
    for (const { run } of executed) {
      const { status } = await follower.api(`/runs/${run}/cancel`, { method: 'POST' });
      expect(status).toBe(202);
    }
    await eventually(async () => (await runs()).every(({ state }) => state === 'cancelled'), PATIENCE_MS);
    await Promise.all([leader.end('SIGTERM'), follower.end('SIGTERM')]);
  });

  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'start elsewhere after %s, when their commands have ended',
    { tags: 'full', timeout: 180_000 },
    async (signal) => {
      const pair = await startPair(`lost_${signal.toLowerCase()}`, 150);
      const { leader, follower, trail, runs } = pair;
      const executed = await occupyBoth(pair);
      const lost = executed.filter((attempt) => isOn(follower, attempt)).map(({ run }) => run);
      const listExecuted = async () => (await runs()).filter(({ id }) => executed.some(({ run }) => run === id));
      process.kill(follower.pid, signal);
      await eventually(async () => (await listExecuted()).every(({ state }) => state === 'succeeded'), PATIENCE_MS);
      for (const { id, attempt } of await listExecuted()) expect(attempt).toBe(lost.includes(id) ? 2 : 1);
      expect(trail.overlaps()).toEqual([]);
      expect(trail.attempts().filter((attempt) => attempt.attempt === 2)).toHaveLength(lost.length);
      if (signal === 'SIGSTOP') {
        process.kill(follower.pid, 'SIGCONT');
        await eventually(() => follower.output().includes('end of run discarded'), PATIENCE_MS);
      }
      await Promise.all([leader.end('SIGTERM'), follower.end('SIGKILL')]);
      expect(trail.overlaps()).toEqual([]);
    },
  );
});
