import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { startPostgres } from '../test/helpers/start-postgres.ts';
import { createTempDir } from '../test/helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../test/helpers/temp-git-repo.ts';
import type { DaemonProcess } from '../test/helpers/test-daemon.ts';
import { endBenchDaemon, startBenchDaemon } from './kit/bench-daemon.ts';
import { type Benchmark, type BenchOptions, divide, row, type Table } from './kit/benchmark.ts';
import { prepareStallMonitor, type StallMonitor } from './kit/stall-monitor.ts';
import {
  composeAutomation,
  composeLargeFactory,
  type FactorySize,
  importCommits,
  LARGE_SECRET,
  pathOfAutomation,
} from './large-factory.ts';

/** What a follower does for a commit that changes one automation of 10,000: reading the change, or the whole factory. */
export const benchmark: Benchmark = {
  summary: 'a change of one automation of 10,000, on a replica that follows the leader',
  isDurable: true,
  defaults: { rounds: 5, seconds: 1 },
  run,
};

const LARGE: FactorySize = { automations: 10_000, webhooks: 20 };
const QUICK: FactorySize = { automations: 40, webhooks: 20 };
const FACTORY = 'bench';
const ENV = { DOCKBELL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
const APPLY_MS = 300_000;

type Way = 'change' | 'whole';

interface Figures {
  liveMs: number[];
  stallMs: number[];
  readKiB: number[];
}

/** The leader, a follower behind a proxy, and a session that sees what both publish. */
interface Scene {
  repo: TempGitRepo;
  leader: DaemonProcess;
  follower: DaemonProcess;
  stalls: StallMonitor;
  database: CountingProxy;
  session: Client;
}

async function run({ rounds, isQuick }: BenchOptions): Promise<Table[]> {
  const size = isQuick ? QUICK : LARGE;
  const repo = await createTempGitRepo({ bare: true });
  const server = await startPostgres();
  try {
    const changes = Array.from({ length: (rounds + 1) * 2 }, (_, i) => {
      const text = composeAutomation(i, size.webhooks, `changed-${i}`);
      return new Map([[pathOfAutomation(i), text]]);
    });
    const commits = await importCommits(repo, composeLargeFactory(size), changes);
    const scene = await start(repo, await server.createDatabase('followers'), commits[0]!, size);
    const figures: Record<Way, Figures> = { change: createFigures(), whole: createFigures() };
    for (const [index, commit] of commits.slice(1).entries()) {
      const way = index % 2 === 0 ? 'change' : 'whole';
      // The first of each kind loads code.
      await followCommit(scene, commit, way, index < 2 ? createFigures() : figures[way]);
    }
    await end(scene);
    return [describe(size, figures)];
  } finally {
    await server.remove();
    repo.remove();
  }
}

function createFigures(): Figures {
  return { liveMs: [], stallMs: [], readKiB: [] };
}

async function start(repo: TempGitRepo, url: string, commit: string, size: FactorySize): Promise<Scene> {
  const limits = { webhooksPerFactory: size.webhooks };
  const factories = [{ name: FACTORY, source: { type: 'repository', url: repo.path } }];
  const config = (databaseUrl: string) => ({ limits, factories, storage: { type: 'postgres', url: databaseUrl } });
  const leader = await startBenchDaemon({ config: config(url), env: ENV });
  await leader.api(`/secrets/${LARGE_SECRET.name}`, { method: 'PUT', body: { value: LARGE_SECRET.value } });
  await moveBranch(repo, leader, commit);
  const database = await startCountingProxy(Number(new URL(url).port));
  const proxied = new URL(url);
  proxied.port = String(database.port);
  const stalls = prepareStallMonitor();
  const dataDir = createTempDir('bench');
  copyFileSync(join(leader.dataDir, 'admin-token'), join(dataDir, 'admin-token'));
  const follower = await startBenchDaemon({ dataDir, config: config(proxied.href), env: { ...ENV, ...stalls.env } });
  const session = new Client({ connectionString: url });
  await session.connect();
  await session.query('LISTEN dockbell');
  await session.query(FORGET_OBJECTS);
  return { repo, leader, follower, stalls, database, session };
}

async function end({ session, follower, leader, stalls, database }: Scene): Promise<void> {
  await session.end();
  stalls.close();
  await endBenchDaemon(follower);
  await endBenchDaemon(leader);
  database.close();
}

/** Moves the branch, and waits until the leader has applied the commit. */
async function moveBranch(repo: TempGitRepo, leader: DaemonProcess, commit: string): Promise<void> {
  await repo.git(['update-ref', `refs/heads/${repo.branch}`, commit]);
  const path = `/factories/${FACTORY}/reconciliations?wait=true`;
  const { body } = await leader.api(path, { method: 'POST' });
  if (body.revision !== commit) throw new Error(`the pass ended with ${JSON.stringify(body)}`);
}

/** With this trigger, nobody knows what a change concerned, so a follower reads the whole factory. */
const FORGET_OBJECTS = `
  CREATE FUNCTION forget_objects() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN NEW.objects := NULL; RETURN NEW; END $$;
  CREATE TRIGGER forget_objects BEFORE INSERT ON live_changes FOR EACH ROW EXECUTE FUNCTION forget_objects();
  ALTER TABLE live_changes DISABLE TRIGGER forget_objects`;

async function followCommit(scene: Scene, commit: string, way: Way, figures: Figures): Promise<void> {
  const { session, stalls, database } = scene;
  await session.query(`ALTER TABLE live_changes ${way === 'whole' ? 'ENABLE' : 'DISABLE'} TRIGGER forget_objects`);
  // The events of the pass before have ended.
  await pause(500);
  await stalls.read();
  const readBefore = database.bytesRead;
  const committed = untilCommitted(session);
  const moved = moveBranch(scene.repo, scene.leader, commit);
  const committedMs = await committed;
  const liveMs = (await untilLive(session)) - committedMs;
  figures.liveMs.push(liveMs);
  figures.readKiB.push((database.bytesRead - readBefore) / 1_024);
  figures.stallMs.push((await stalls.read()).longestMs);
  await moved;
}

/** The time of the message that PostgreSQL sends when the leader has committed. */
function untilCommitted(session: Client): Promise<number> {
  return new Promise((resolve) => {
    const note = ({ payload = '' }: { payload?: string }) => {
      if (!payload.includes('"kind":"live"')) return;
      session.off('notification', note);
      resolve(performance.now());
    };
    session.on('notification', note);
  });
}

/** The time at which all replicas publish that they serve the newest version. */
async function untilLive(session: Client): Promise<number> {
  const until = performance.now() + APPLY_MS;
  while (performance.now() < until) {
    const { rows } = await session.query(
      `SELECT min((description::json -> 'live' ->> '${FACTORY}')::int) = (SELECT version FROM live_versions) AS is_live FROM replicas`,
    );
    if (rows[0].is_live) return performance.now();
    await pause(2);
  }
  throw new Error(`not live on all replicas within ${APPLY_MS} ms`);
}

interface CountingProxy {
  port: number;
  /** Bytes that the server sent. */
  bytesRead: number;
  close(): void;
}

/** Forwards connections to a port of this machine. */
async function startCountingProxy(target: number): Promise<CountingProxy> {
  const server: Server = createServer((client) => {
    const upstream = createConnection(target, '127.0.0.1');
    upstream.on('data', (chunk) => {
      proxy.bytesRead += chunk.length;
    });
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const proxy = { port, bytesRead: 0, close: () => void server.close() };
  return proxy;
}

function describe({ automations, webhooks }: FactorySize, { change, whole }: Record<Way, Figures>): Table {
  return {
    title: `A change of 1 automation on a follower, ${automations.toLocaleString('en')} automations and ${webhooks} webhooks`,
    rows: [
      row('the change: commit of the leader to live', 'ms', change.liveMs),
      row('the whole factory: commit of the leader to live', 'ms', whole.liveMs),
      row('the whole factory as a multiple of the change', '×', divide(whole.liveMs, change.liveMs)),
      row('the change: longest stall of the main thread', 'ms', change.stallMs),
      row('the whole factory: longest stall of the main thread', 'ms', whole.stallMs),
      row('the change: KiB from PostgreSQL', '', change.readKiB),
      row('the whole factory: KiB from PostgreSQL', '', whole.readKiB),
    ],
    notes: [
      'Both ways take turns in the same daemons. For the second one, a trigger in the database deletes what the change concerned, as if the follower had missed it.',
      'From the message that PostgreSQL sends at the commit, until the follower has published the version. Leader, follower and PostgreSQL share the cores.',
    ],
  };
}
