import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../test/helpers/eventually.ts';
import { createTempDir } from '../test/helpers/temp-dir.ts';
import { createTempGitRepo } from '../test/helpers/temp-git-repo.ts';
import { fillDeliveryLog } from './fill-delivery-log.ts';
import type { LoadCredential, LoadOrder, LoadResult } from './generate-load.ts';
import { requireAccepted, requireSpareTime } from './generate-load.ts';
import { endBenchDaemon, startBenchDaemon } from './kit/bench-daemon.ts';
import { pinProcess } from './kit/pin-process.ts';
import { readProcessorTime, subtractTime } from './kit/processor-time.ts';
import { readMemoryMiB } from './kit/read-memory.ts';
import { importCommits } from './large-factory.ts';

/** A server under load: the daemon or the baseline. */
export interface Subject {
  name: string;
  pid: number;
  port: number;
  paths: string[];
  credential: LoadCredential;
  stop(): Promise<void>;
}

/** A daemon under load. */
export interface DaemonSubject extends Subject {
  adminUrl: string;
  dataDir: string;
}

/** A data directory in which a factory is applied. Each start works on a copy or on the folder itself. */
export interface PreparedFactory {
  name: string;
  dataDir: string;
  config: Record<string, unknown>;
  webhooks: number;
  credential: LoadCredential;
  /** Folder of the checkout whose built daemon applied the factory and is started. */
  checkout: string;
}

export interface FactoryShape {
  name: string;
  /** One webhook accepts at most 1,667 deliveries per second, so a fast load needs several. */
  webhooks: number;
  /** Each listens to all webhooks, with a filter for its own project. */
  automations: number;
  credential: LoadCredential;
  /** Section `storage` of the configuration. Default: SQLite. */
  storage?: Record<string, unknown>;
  env?: Record<string, string>;
  /** Folder of the checkout whose built daemon is started. Default: this one. */
  checkout?: string;
}

export const TOKEN: LoadCredential = { kind: 'token', token: 'a-benchmark-token-of-32-characters' };
export const GITHUB: LoadCredential = { kind: 'github', secret: 'a-benchmark-secret-of-32-characters' };

const HERE = fileURLToPath(new URL('..', import.meta.url));
const FACTORY = 'bench';
const APPLY_MS = 300_000;

/** Applies the factory once and stops the daemon. */
export async function prepareFactory({
  name,
  webhooks,
  automations,
  credential,
  storage,
  env = {},
  checkout = HERE,
}: FactoryShape): Promise<PreparedFactory> {
  const repo = await createTempGitRepo({ bare: true });
  const [commit] = await importCommits(repo, composeFactory({ webhooks, automations, credential }), []);
  await repo.git(['update-ref', `refs/heads/${repo.branch}`, commit!]);
  const config = {
    limits: { webhooksPerFactory: webhooks },
    factories: [{ name: FACTORY, source: { type: 'repository', url: repo.path } }],
    ...(storage === undefined ? {} : { storage }),
  };
  const dataDir = createTempDir('bench');
  const daemon = await startBenchDaemon({ dataDir, config, env, program: findProgram(checkout) });
  const value = credential.kind === 'token' ? credential.token : credential.secret;
  await daemon.api('/secrets/BENCH_SECRET', { method: 'PUT', body: { value } });
  await eventually(async () => (await daemon.api(`/factories/${FACTORY}`)).body.applied_revision === commit, APPLY_MS);
  await endBenchDaemon(daemon);
  process.once('exit', () => repo.remove());
  return { name, dataDir, config, webhooks, credential, checkout };
}

function findProgram(checkout: string) {
  return { node: process.execPath, main: join(checkout, 'dist/main.js') };
}

function composeFactory({
  webhooks,
  automations,
  credential,
}: Pick<FactoryShape, 'webhooks' | 'automations' | 'credential'>): Map<string, string> {
  const mode = credential.kind === 'github' ? 'authMode: signature\nsignatureScheme: github\n' : '';
  const names = Array.from({ length: webhooks }, (_, i) => `hook-${i}`);
  const files = new Map(names.map((name) => [`webhooks/${name}.yaml`, `${mode}secretName: BENCH_SECRET\n`]));
  for (let i = 0; i < automations; i++) {
    const payload = `{ build: { status: [failed, broken], project: [project-${i}] } }`;
    const front = `triggers:\n  - { provider: webhook, event: received, filter: { webhooks: [${names.join(', ')}], payload: ${payload} } }`;
    files.set(`automations/work-${i}/automation.md`, `---\n${front}\n---\nLook into it.\n`);
  }
  return files;
}

/** Stores deliveries in the data directory, as the daemon would have. */
export async function storeDeliveries({ dataDir }: PreparedFactory, deliveries: number): Promise<void> {
  await fillDeliveryLog(dataDir, { deliveries, spanMs: 3_600_000, nowMs: Date.now(), kind: 'accepted' });
}

/** Starts the daemon on the data directory. With `isCopy`, its state is deleted when it stops. */
export async function startPrepared(
  prepared: PreparedFactory,
  { isCopy, env = {} }: { isCopy: boolean; env?: Record<string, string> },
): Promise<DaemonSubject> {
  const { name, config, webhooks, credential, checkout } = prepared;
  const dataDir = isCopy ? createTempDir('bench') : prepared.dataDir;
  if (isCopy) cpSync(prepared.dataDir, dataDir, { recursive: true });
  const daemon = await startBenchDaemon({ dataDir, config, env, program: findProgram(checkout) });
  const { body } = await daemon.api(`/factories/${FACTORY}/webhooks`);
  const list = body.data as { ingress_url: string }[];
  if (list.length !== webhooks) throw new Error(`${list.length} webhooks are live instead of ${webhooks}`);
  pinProcess(daemon.pid, 'server');
  return {
    name,
    pid: daemon.pid,
    adminUrl: daemon.adminUrl,
    dataDir,
    port: Number(new URL(daemon.ingressUrl).port),
    paths: list.map(({ ingress_url: url }) => new URL(url).pathname),
    credential,
    stop: async () => {
      await endBenchDaemon(daemon);
      if (isCopy) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts a plain `node:http` server (`baseline-server.ts`). */
export async function startBaseline(mode: 'read' | 'parse'): Promise<Subject> {
  const child = forkScript('baseline-server.ts', [mode]);
  const [port] = (await once(child, 'message')) as [number];
  pinProcess(child.pid!, 'server');
  return {
    name: `node:http, ${mode}`,
    pid: child.pid!,
    port,
    paths: ['/webhooks/w/wh_00000000000000000000000000'],
    credential: TOKEN,
    stop: async () => void child.kill(),
  };
}

export interface Load
  extends Pick<LoadOrder, 'bodyBytes' | 'warmUpMs' | 'measuredMs' | 'offeredPerSecond' | 'project' | 'drainMs'> {
  connections: number;
  /** The load generator may be the limit: its figures are not used. */
  isRough: boolean;
}

export interface Measured extends LoadResult {
  /** Processor time of the server's main thread per response, in microseconds. */
  cpuMicros: number;
  /** The same for all threads of the server. */
  allCpuMicros: number;
  /** Largest resident memory of the server during the load. */
  rssMiB: number;
  /** The part of it that is not backed by files, such as the program of Node.js. */
  privateMiB: number;
}

/** Sends the load from a separate process. Rejects on an answer other than `202`, or if that process is the limit. */
export async function drive(subject: Subject, load: Load): Promise<Measured> {
  const measured = await offer(subject, load);
  requireAccepted(subject.name, measured);
  if (!load.isRough) requireSpareTime(subject.name, measured);
  return measured;
}

/** Like `drive`, but with any answer: the caller decides about them. */
export async function offer(subject: Subject, { connections, isRough: _, ...load }: Load): Promise<Measured> {
  const child = forkScript('load-generator.ts', []);
  const paths = Array.from({ length: connections }, (_, i) => subject.paths[i % subject.paths.length]!);
  const order: LoadOrder = { ...load, port: subject.port, paths, credential: subject.credential };
  await once(child, 'spawn');
  pinProcess(child.pid!, 'load');
  let [rssMiB, privateMiB] = [0, 0];
  const sampling = setInterval(() => {
    rssMiB = Math.max(rssMiB, readMemoryMiB(subject.pid, 'VmRSS'));
    privateMiB = Math.max(privateMiB, readMemoryMiB(subject.pid, 'RssAnon'));
  }, 100);
  child.send(order);
  await once(child, 'message');
  const before = readProcessorTime(subject.pid);
  const [result] = (await once(child, 'message')) as [LoadResult];
  const { mainMs, allMs } = subtractTime(readProcessorTime(subject.pid), before);
  const [cpuMicros, allCpuMicros] = [mainMs, allMs].map((ms) => (ms * 1_000) / result.counted) as [number, number];
  clearInterval(sampling);
  return { ...result, cpuMicros, allCpuMicros, rssMiB, privateMiB };
}

function forkScript(name: string, args: string[]): ChildProcess {
  const child = fork(fileURLToPath(new URL(name, import.meta.url)), args, { execArgv: ['--import', 'tsx'] });
  const kill = () => void child.kill();
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}
