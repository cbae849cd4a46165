import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually } from './eventually.ts';
import { COMMIT_ANSWER, type Side } from './postgres-proxy.ts';
import type { RegistryProbe } from './registry-probe.ts';
import type { RepeatingSenders } from './repeating-senders.ts';
import type { SeededRandom } from './seeded-random.ts';
import { type TestPostgres, withClient } from './start-postgres.ts';
import { RECOVERED_MS, type SupervisedReplicas } from './supervised-replicas.ts';
import type { DaemonProcess } from './test-daemon.ts';

/** What a fault can disturb. */
export interface FaultWorld {
  server: TestPostgres;
  replicas: SupervisedReplicas;
  senders: RepeatingSenders;
  probe: RegistryProbe;
  random: SeededRandom;
}

/** Disturbs, and resolves when the disturbance has ended. Then everything has to recover. */
export type Fault = (world: FaultWorld) => Promise<unknown>;

/** Deliveries that are accepted between two cuts. Some of them start runs. */
const PROOFS = 40;

/** A frozen leader loses the lead after 15 seconds. */
const FROZEN_MS = 20_000;

/** A replica that does not reach PostgreSQL for this time keeps the lead. */
const STALLED_MS = 9000;

const CLOCK = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
const mayFake = existsSync(CLOCK);
if (!mayFake) console.warn(`NOT TESTED: the clock of a replica cannot be set without libfaketime (${CLOCK}).`);

/** What a daemon commits, with a statement that only these transactions have. */
const COMMITS = {
  'a claim': 'insert into "run_attempts"',
  'the end of a run': 'INSERT INTO automation_results',
  'an apply': 'insert into "reconciliations"',
};

/** All faults, by their names. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'leader killed': async ({ replicas }) => (await replicas.findLeader()).leader.end('SIGKILL'),
  'follower killed': async ({ replicas }) => (await replicas.findLeader()).follower.end('SIGKILL'),
  'leader killed mid-apply': async ({ replicas, probe, random }) => {
    const { leader } = await replicas.findLeader();
    await probe.change();
    await pause(random.integer(0, 300));
    await leader.end('SIGKILL');
  },
  'leader frozen mid-apply': async ({ replicas, probe, random }) => {
    const { leader } = await replicas.findLeader();
    await probe.change();
    await pause(random.integer(0, 300));
    await freeze(leader, FROZEN_MS);
  },
  'follower frozen': async ({ replicas, random }) =>
    freeze((await replicas.findLeader()).follower, random.integer(2000, 9000)),
  'PostgreSQL killed': async ({ server }) => {
    await server.kill();
    await server.start();
  },
  'PostgreSQL restarted': async ({ server, random }) => {
    await server.stop();
    await pause(random.integer(0, 2000));
    await server.start();
  },
  'all connections cut': ({ replicas: { url } }) => endAllSessions(url),
  'n-th message to PostgreSQL cut': (world) => cutAtMessage(world, 'client'),
  'n-th message from PostgreSQL cut': (world) => cutAtMessage(world, 'server'),
  'answer to COMMIT cut': async ({ replicas }) => {
    for (const daemon of replicas.daemons) await replicas.proxyOf(daemon).cutBatch(COMMIT_ANSWER);
  },
  ...Object.fromEntries(
    Object.entries(COMMITS).map(([what, statement]) => [
      `answer to the COMMIT of ${what} cut`,
      (world: FaultWorld) => cutCommits(world, statement),
    ]),
  ),
  'network of the leader stalled': async ({ replicas }) => stall(replicas, (await replicas.findLeader()).leader),
  'network of the follower stalled': async ({ replicas }) => stall(replicas, (await replicas.findLeader()).follower),
  'connections exhausted': exhaustConnections,
  ...(mayFake
    ? {
        'clock of the leader 1 h ahead': (world: FaultWorld) => leadWithClock(world, '+3600s'),
        'clock of the leader 1 h behind': (world: FaultWorld) => leadWithClock(world, '-3600s'),
      }
    : {}),
};

/** Each replica loses some of these answers. Only one of them applies. */
async function cutCommits({ replicas, probe, senders }: FaultWorld, statement: string): Promise<void> {
  for (let cuts = 0; cuts < 3; cuts += 1) {
    const areCut = replicas.daemons.map((daemon) => replicas.proxyOf(daemon).cutCommitOf(statement));
    await probe.change();
    // Without its guards, a build stops to claim after the first cut.
    if (cuts === 0) await Promise.any(areCut);
    await senders.untilAccepted(PROOFS, RECOVERED_MS);
  }
}

async function freeze(daemon: DaemonProcess, ms: number): Promise<void> {
  process.kill(daemon.pid, 'SIGSTOP');
  await pause(ms);
  process.kill(daemon.pid, 'SIGCONT');
}

/** Several batches of each replica are cut at a random message. */
async function cutAtMessage({ replicas, random, senders }: FaultWorld, from: Side): Promise<void> {
  for (let cuts = 0; cuts < 4; cuts += 1) {
    const proxy = replicas.proxyOf(replicas.daemons[cuts % 2]!);
    await eventually(() => proxy.messages[from] > 0, RECOVERED_MS);
    await proxy.cutBatch({ from, at: random.integer(1, proxy.messages[from] + 1) });
    await senders.untilAccepted(5, RECOVERED_MS);
  }
}

async function stall(replicas: SupervisedReplicas, daemon: DaemonProcess): Promise<void> {
  const proxy = replicas.proxyOf(daemon);
  proxy.stall();
  await pause(STALLED_MS);
  proxy.resume();
}

/** Other sessions take all connections that are free, and those that the replicas close meanwhile. */
async function exhaustConnections({ replicas: { url }, random }: FaultWorld): Promise<void> {
  const sessions: Client[] = [];
  const until = performance.now() + random.integer(3000, 8000);
  await endAllSessions(url);
  while (performance.now() < until) {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect().then(
      () => sessions.push(client),
      () => pause(10),
    );
  }
  await Promise.all(sessions.map((client) => client.end()));
}

function endAllSessions(url: string): Promise<unknown> {
  return withClient(url, (client) =>
    client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    ),
  );
}

/** A replica starts with a wrong clock, takes the lead, and gets the right clock again. */
async function leadWithClock({ replicas, senders, probe }: FaultWorld, offset: string): Promise<void> {
  const { follower } = await replicas.findLeader();
  const env = { LD_PRELOAD: CLOCK, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  const wrong = await replicas.restart(follower, env);
  await eventually(async () => {
    const { leader } = await replicas.findLeader();
    // Started again, it can be the first to take the lead.
    if (leader !== wrong) await leader.end('SIGKILL');
    return leader === wrong;
  }, RECOVERED_MS);
  await probe.change();
  await senders.untilAccepted(60, RECOVERED_MS);
  await probe.untilEqual();
  await replicas.restart(wrong, {});
}
