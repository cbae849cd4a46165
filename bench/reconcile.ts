import { spawnSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runGit } from '../src/reconcile/source/git-process.ts';
import { createTempDir } from '../test/helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../test/helpers/temp-git-repo.ts';
import type { DaemonProcess } from '../test/helpers/test-daemon.ts';
import { endBenchDaemon, startBenchDaemon } from './kit/bench-daemon.ts';
import { type Benchmark, type BenchOptions, row, type Table, type Target } from './kit/benchmark.ts';
import { type ManagementClient, openManagementClient, readClockMs, type ServerEvent } from './kit/management-client.ts';
import { readProcessorTime, subtractTime } from './kit/processor-time.ts';
import { prepareStallMonitor, type StallMonitor } from './kit/stall-monitor.ts';
import { takeMedian } from './kit/statistics.ts';
import { type IngressWatch, PROBE, watchIngress } from './kit/watch-ingress.ts';
import {
  composeAutomation,
  composeFailedBuild,
  composeLargeFactory,
  composeWebhook,
  type FactorySize,
  importCommits,
  LARGE_SECRET,
  pathOfAutomation,
  pathOfWebhook,
  writeFactory,
} from './large-factory.ts';

/** From a commit to live: a factory of 5,000 automations and 20 webhooks. */
export const benchmark: Benchmark = {
  summary: 'a commit, a poll and an edit in a factory of 5,000 automations, from the change to live',
  isDurable: true,
  defaults: { rounds: 5, seconds: 1 },
  run,
};

const LARGE: FactorySize = { automations: 5_000, webhooks: 20 };
const QUICK: FactorySize = { automations: 40, webhooks: 20 };
const FACTORY = 'bench';
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** A round of polls is the median of this number, because a single git process varies by more than the target. */
const POLLS_A_ROUND = 15;
/** After a change, until events of the file system and retries of the pass before have ended. */
const SETTLE_MS = 300;
const APPLY_MS = 300_000;

type Operation = 'no-op poll' | 'push' | 'toggle' | 'cold apply';

/** What one sample of processor time includes. */
const COUNTED: Record<Operation, string> = {
  'no-op poll': ` × ${POLLS_A_ROUND}`,
  push: '',
  toggle: ' × 2',
  'cold apply': '',
};

interface Figures {
  poll: number[];
  git: number[];
  roundTrip: number[];
  beyondGit: number[];
  pushAutomation: number[];
  pushWebhook: number[];
  toggleManaged: number[];
  toggleLive: number[];
  coldFromFetch: number[];
  coldFromRef: number[];
  validate: number[];
  validateCpu: number[];
  stallInside: Record<Operation, number[]>;
  longestTurn: Record<Operation, number[]>;
  stallOutside: Record<Operation, number[]>;
  lateness: number[];
  mainThread: Record<Operation, number[]>;
  allThreads: Record<Operation, number[]>;
  waited: number[];
}

interface Scene {
  size: FactorySize;
  rounds: number;
  repo: TempGitRepo;
  files: Map<string, string>;
  /** The first is the whole factory. Then come pairs: one changes an automation, one enables a webhook. */
  commits: string[];
  figures: Figures;
}

/** A daemon with everything that measures it. */
interface Subject {
  daemon: DaemonProcess;
  client: ManagementClient;
  stalls: StallMonitor;
  ingress: IngressWatch;
  /** Resolves to the next event that the test accepts. */
  untilEvent(isExpected: (event: ServerEvent) => boolean): Promise<ServerEvent>;
  end(): Promise<void>;
}

async function run({ rounds, isQuick }: BenchOptions): Promise<Table[]> {
  const size = isQuick ? QUICK : LARGE;
  const scene = await prepare(size, rounds);
  for (let round = 0; round < rounds; round++) await validateCold(scene);
  const dataDir = await measureColdApplies(scene);
  await measureRepository(scene, dataDir);
  await measureToggles(scene, dataDir, 'managed', scene.figures.toggleManaged);
  await measureToggles(scene, dataDir, 'live', scene.figures.toggleLive);
  scene.repo.remove();
  return describe(scene);
}

async function prepare(size: FactorySize, rounds: number): Promise<Scene> {
  const repo = await createTempGitRepo({ bare: true });
  const files = composeLargeFactory(size);
  const toEnable = Array.from({ length: rounds }, (_, i) => size.webhooks - 1 - (i % (size.webhooks - 1)));
  for (const i of toEnable) files.set(pathOfWebhook(i), composeWebhook(false));
  const changes = toEnable.flatMap((webhook, round) => [
    new Map([[pathOfAutomation(round), composeAutomation(round, size.webhooks, nameOfChange(round))]]),
    new Map([[pathOfWebhook(webhook), composeWebhook(true)]]),
  ]);
  const commits = await importCommits(repo, files, changes);
  return { size, rounds, repo, files, commits, figures: createFigures() };
}

/** The project for which a pushed automation starts. */
function nameOfChange(round: number): string {
  return `changed-${round}`;
}

function createFigures(): Figures {
  const byOperation = () => ({ 'no-op poll': [], push: [], toggle: [], 'cold apply': [] });
  return {
    poll: [],
    git: [],
    roundTrip: [],
    beyondGit: [],
    pushAutomation: [],
    pushWebhook: [],
    toggleManaged: [],
    toggleLive: [],
    coldFromFetch: [],
    coldFromRef: [],
    validate: [],
    validateCpu: [],
    stallInside: byOperation(),
    longestTurn: byOperation(),
    stallOutside: byOperation(),
    lateness: [],
    mainThread: byOperation(),
    allThreads: byOperation(),
    waited: [],
  };
}

/** `dockbell validate` as a process: the time that a user waits, and the processor time of the process. */
async function validateCold({ files, figures }: Scene): Promise<void> {
  const folder = createTempDir('validate');
  writeFactory(folder, files);
  const printUsage = `data:text/javascript,process.on('exit',()=>console.error(JSON.stringify(process.cpuUsage())))`;
  const begunMs = performance.now();
  const argv = ['--import', printUsage, MAIN, 'validate', folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  figures.validate.push(performance.now() - begunMs);
  if (status !== 0) throw new Error(`validate ended with ${status}: ${stdout}${stderr}`);
  const { user, system } = JSON.parse(stderr) as NodeJS.CpuUsage;
  figures.validateCpu.push((user + system) / 1_000);
}

/** Each on an empty data directory. Returns the data directory of the last one. */
async function measureColdApplies(scene: Scene): Promise<string> {
  let dataDir = '';
  for (let round = 0; round < scene.rounds; round++) {
    dataDir = createTempDir('bench');
    await scene.repo.git(['update-ref', '-d', 'refs/heads/main']);
    const subject = await startSubject(scene, dataDir, repositorySource(scene.repo));
    // The branch does not exist yet. So the secret can be stored, and the first pass with files is the measured one.
    await subject.client.call('PUT', `/secrets/${LARGE_SECRET.name}`, 201, { value: LARGE_SECRET.value });
    await pause(SETTLE_MS);
    await measureStalls(scene, subject, 'cold apply', async () => {
      const applied = subject.untilEvent(isApplied(scene.commits[0]!));
      const { refMs, wallOffsetMs } = moveBranch(scene.repo, scene.commits[0]!);
      const { atMs, data } = await applied;
      scene.figures.coldFromRef.push(atMs - refMs);
      scene.figures.coldFromFetch.push(atMs + wallOffsetMs - Date.parse(data.started_at));
    });
    await checkCounts(scene, subject);
    await subject.end();
  }
  return dataDir;
}

function repositorySource(repo: TempGitRepo) {
  return { type: 'repository', url: repo.path };
}

function isApplied(revision: string): (event: ServerEvent) => boolean {
  return ({ event, data }) => {
    if (event !== 'reconciliation' || data.revision !== revision) return false;
    if (data.result === 'applied') return true;
    throw new Error(`commit ${revision} was not applied: ${data.result}, ${data.message}`);
  };
}

/** Moves the branch as git does, by renaming a file. A process would add its start to the figure. */
function moveBranch(repo: TempGitRepo, commit: string): { refMs: number; wallOffsetMs: number } {
  const ref = join(repo.path, 'refs/heads', repo.branch);
  writeFileSync(`${ref}.lock`, `${commit}\n`);
  const refMs = readClockMs();
  const wallOffsetMs = Date.now() - refMs;
  renameSync(`${ref}.lock`, ref);
  return { refMs, wallOffsetMs };
}

async function checkCounts({ size }: Scene, { client }: Subject): Promise<void> {
  const { data } = await client.call<{ data: unknown[] }>('GET', `/factories/${FACTORY}/automations`, 200);
  const hooks = await client.call<{ data: unknown[] }>('GET', `/factories/${FACTORY}/webhooks`, 200);
  if (data.length === size.automations && hooks.data.length === size.webhooks) return;
  throw new Error(`${data.length} automations and ${hooks.data.length} webhooks are applied`);
}

async function startSubject({ size }: Scene, dataDir: string, source: unknown): Promise<Subject> {
  const stalls = prepareStallMonitor();
  const config = {
    limits: { webhooksPerFactory: size.webhooks },
    factories: [{ name: FACTORY, source }],
  };
  const daemon = await startBenchDaemon({ dataDir, config, env: stalls.env });
  const client = openManagementClient(daemon);
  const listeners = new Set<(event: ServerEvent) => void>();
  await client.follow((event) => {
    for (const listener of listeners) listener(event);
  });
  const ingress = await watchIngress(Number(new URL(daemon.ingressUrl).port));
  return {
    daemon,
    client,
    stalls,
    ingress,
    untilEvent: (isExpected) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => settle(() => reject(new Error(`no event within ${APPLY_MS} ms`))), APPLY_MS);
        const settle = (end: () => void) => {
          clearTimeout(timer);
          listeners.delete(listener);
          end();
        };
        const listener = (event: ServerEvent) => {
          try {
            if (isExpected(event)) settle(() => resolve(event));
          } catch (error) {
            settle(() => reject(error));
          }
        };
        listeners.add(listener);
      }),
    end: async () => {
      ingress.stop();
      client.close();
      stalls.close();
      await endBenchDaemon(daemon);
    },
  };
}

/** The longest delay of the ingress thread during `act`, from inside and outside of the process, and its processor time. */
async function measureStalls(
  { figures }: Scene,
  { daemon, stalls, ingress }: Subject,
  operation: Operation,
  act: () => Promise<void>,
): Promise<void> {
  await Promise.all([stalls.read(), ingress.read()]);
  const before = readProcessorTime(daemon.pid);
  await act();
  const { mainMs, mainWaitedMs, allMs } = subtractTime(readProcessorTime(daemon.pid), before);
  const stall = await stalls.read();
  figures.stallInside[operation].push(stall.longestMs);
  figures.longestTurn[operation].push(stall.longestTurnMs);
  const { longestMs, latenessMs } = await ingress.read();
  figures.stallOutside[operation].push(longestMs);
  figures.lateness.push(latenessMs);
  figures.mainThread[operation].push(mainMs);
  figures.allThreads[operation].push(allMs);
  figures.waited.push(mainWaitedMs);
}

/** Polls and pushes of a factory whose source is a repository. */
async function measureRepository(scene: Scene, dataDir: string): Promise<void> {
  const { rounds, figures, repo, commits } = scene;
  const subject = await startSubject(scene, dataDir, repositorySource(repo));
  const urls = await listIngressPaths(subject);
  await pause(SETTLE_MS);
  await measurePolls({ ...scene, figures: createFigures() }, subject, commits[0]!);
  for (let round = 0; round < rounds; round++) {
    await measureStalls(scene, subject, 'no-op poll', () => measurePolls(scene, subject, commits[0]!));
  }
  for (let round = 0; round < rounds; round++) {
    const [changesAutomation, enablesWebhook] = commits.slice(1 + round * 2) as [string, string];
    await measureStalls(scene, subject, 'push', async () => {
      figures.pushAutomation.push(await pushAutomation(scene, subject, changesAutomation));
    });
    await checkAutomation(scene, subject, urls, round);
    const webhook = /sender-(\d+)/.exec(await repo.git(['diff-tree', '--name-only', '-r', enablesWebhook]))![1]!;
    await measureStalls(scene, subject, 'push', async () => {
      figures.pushWebhook.push(await pushWebhook(scene, subject, enablesWebhook, urls.get(`sender-${webhook}`)!));
    });
    await pause(SETTLE_MS);
  }
  await subject.end();
}

async function listIngressPaths({ client }: Subject): Promise<Map<string, string>> {
  const { data } = await client.call<{ data: { name: string; ingress_url: string }[] }>(
    'GET',
    `/factories/${FACTORY}/webhooks`,
    200,
  );
  return new Map(data.map(({ name, ingress_url: url }) => [name, new URL(url).pathname]));
}

/**
 * Polls of an unchanged branch. A request starts each of them, because nothing reports the duration of a poll. Between two
 * of them: the same git call alone, and a request that takes the same way through the API (authentication, an entry
 * of the audit log) for a factory that does not exist.
 */
async function measurePolls({ repo, figures }: Scene, { client }: Subject, revision: string): Promise<void> {
  const samples: Record<'poll' | 'git' | 'roundTrip', number[]> = { poll: [], git: [], roundTrip: [] };
  for (let i = 0; i < POLLS_A_ROUND; i++) {
    samples.git.push(await timeOf(() => askForTip(repo, revision)));
    samples.poll.push(
      await timeOf(async () => {
        const pass = await client.call<{ result: string; revision: string }>(
          'POST',
          `/factories/${FACTORY}/reconciliations?wait=true`,
          200,
        );
        if (pass.result !== 'unchanged' || pass.revision !== revision)
          throw new Error(`a poll ended with ${pass.result} at ${pass.revision}`);
      }),
    );
    samples.roundTrip.push(
      await timeOf(() => client.call('POST', '/factories/no-such-factory/reconciliations?wait=true', 404)),
    );
  }
  for (const name of ['poll', 'git', 'roundTrip'] as const) figures[name].push(takeMedian(samples[name]));
  figures.beyondGit.push(takeMedian(samples.poll) - takeMedian(samples.git) - takeMedian(samples.roundTrip));
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const begunMs = performance.now();
  await act();
  return performance.now() - begunMs;
}

/** The git call of a poll, with the settings of the daemon. */
async function askForTip(repo: TempGitRepo, revision: string): Promise<void> {
  const outcome = await runGit({
    args: ['ls-remote', '--quiet', '--refs', '--', repo.path, `refs/heads/${repo.branch}`],
    protocol: 'file',
    environment: process.env,
    timeoutMs: 10_000,
    maxOutputBytes: 65_536,
  });
  if (outcome.kind !== 'exited' || !outcome.stdout.toString().startsWith(revision))
    throw new Error(`git ended as ${JSON.stringify(outcome)}`);
}

/** From the move of the branch until the event stream reports that the commit is live. */
async function pushAutomation({ repo }: Scene, { untilEvent, client }: Subject, commit: string): Promise<number> {
  const applied = untilEvent(isApplied(commit));
  const { refMs } = moveBranch(repo, commit);
  const { atMs } = await applied;
  const factory = await client.call<{ applied_revision: string }>('GET', `/factories/${FACTORY}`, 200);
  if (factory.applied_revision !== commit) throw new Error(`${factory.applied_revision} is live instead of ${commit}`);
  return atMs - refMs;
}

/** The ingress evaluates the pushed filter: this payload starts a run, and only with the new filter. */
async function checkAutomation({ size }: Scene, { daemon, client }: Subject, urls: Map<string, string>, round: number) {
  const url = `${daemon.ingressUrl}${urls.get(`sender-${round % size.webhooks}`)}`;
  await deliver(url, composeFailedBuild(nameOfChange(round)), 202);
  const { data } = await client.call<{ data: { runs: unknown[] }[] }>(
    'GET',
    `/factories/${FACTORY}/deliveries?limit=1`,
    200,
  );
  if (data[0]?.runs.length !== 1) throw new Error(`the pushed filter started ${data[0]?.runs.length} runs`);
}

async function deliver(url: string, body: string, expected: number): Promise<void> {
  const headers = { authorization: `Bearer ${LARGE_SECRET.value}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status !== expected)
    throw new Error(`${url} answered ${response.status} instead of ${expected}: ${text}`);
}

/** From the move of the branch until the ingress knows the webhook that the commit enables. */
async function pushWebhook({ repo }: Scene, subject: Subject, commit: string, path: string): Promise<number> {
  const { ingress, untilEvent } = subject;
  ingress.setRequest({ method: 'POST', path });
  await ingress.untilStatus('404');
  const applied = untilEvent(isApplied(commit));
  const { refMs } = moveBranch(repo, commit);
  const atMs = await ingress.untilStatus('401');
  ingress.setRequest(PROBE);
  await applied;
  return atMs - refMs;
}

/** Disables and enables a webhook through the API. Each answer is checked at the ingress. */
async function measureToggles(scene: Scene, dataDir: string, type: string, samples: number[]): Promise<void> {
  const subject = await startSubject(scene, dataDir, { type });
  const { client, daemon } = subject;
  await untilHosted(scene, subject);
  const { data } = await client.call<{ data: { uid: string; name: string; ingress_url: string }[] }>(
    'GET',
    `/factories/${FACTORY}/webhooks`,
    200,
  );
  const { uid, ingress_url: url } = data.find(({ name }) => name === 'sender-0')!;
  const ingressUrl = `${daemon.ingressUrl}${new URL(url).pathname}`;
  const toggle = async (enabled: boolean) => {
    const ms = await timeOf(() => client.call('PATCH', `/factories/${FACTORY}/webhooks/${uid}`, 200, { enabled }));
    await deliver(ingressUrl, composeFailedBuild('none'), enabled ? 202 : 404);
    return ms;
  };
  // The first edit reads what later ones know.
  for (const enabled of [false, true]) await toggle(enabled);
  for (let round = 0; round < scene.rounds; round++) {
    await measureStalls(scene, subject, 'toggle', async () => {
      for (const enabled of [false, true]) samples.push(await toggle(enabled));
    });
    await pause(SETTLE_MS);
  }
  await subject.end();
}

/** After a start with another source, the first pass takes over the definition. */
async function untilHosted({ size }: Scene, { client }: Subject): Promise<void> {
  const pass = await client.call<{ result: string; message: string }>(
    'POST',
    `/factories/${FACTORY}/reconciliations?wait=true`,
    200,
  );
  if (pass.result !== 'applied' && pass.result !== 'unchanged') throw new Error(`the takeover failed: ${pass.message}`);
  const { data } = await client.call<{ data: unknown[] }>('GET', `/factories/${FACTORY}/automations`, 200);
  if (data.length !== size.automations) throw new Error(`${data.length} automations were taken over`);
}

function describe({ size, figures }: Scene): Table[] {
  const { automations, webhooks } = size;
  const ms = (measure: string, samples: number[], target?: Target) => row(measure, 'ms', samples, target);
  const stalls = (Object.keys(figures.stallInside) as Operation[]).flatMap((operation) => [
    ms(`${operation}: inside the daemon`, figures.stallInside[operation], { atMost: 10, of: 'maximum' }),
    ms(`${operation}: processor time of the longest turn`, figures.longestTurn[operation]),
    ms(`${operation}: seen by a sender`, figures.stallOutside[operation]),
  ]);
  const times = (Object.keys(figures.mainThread) as Operation[]).flatMap((operation) => [
    ms(`${operation}${COUNTED[operation]}: HTTP thread`, figures.mainThread[operation]),
    ms(`${operation}${COUNTED[operation]}: all threads`, figures.allThreads[operation]),
  ]);
  return [
    {
      title: `Commit to live, ${automations.toLocaleString('en')} automations and ${webhooks} webhooks`,
      rows: [
        ms('no-op poll, beyond git', figures.beyondGit, { atMost: 2 }),
        ms('no-op poll, whole request', figures.poll),
        ms('its git call alone', figures.git),
        ms('the same request for a factory that does not exist', figures.roundTrip),
        ms('push of 1 automation, ref update to live', figures.pushAutomation, { atMost: 250 }),
        ms('push of 1 webhook, ref update to live at the ingress', figures.pushWebhook, { atMost: 250 }),
        ms('toggle 1 webhook, managed', figures.toggleManaged, { atMost: 50 }),
        ms('toggle 1 webhook, live', figures.toggleLive, { atMost: 50 }),
        ms('cold apply, fetch to live', figures.coldFromFetch, { atMost: 3_000 }),
        ms('cold apply, ref update to live', figures.coldFromRef),
        ms('validate, cold process, wall time', figures.validate, { atMost: 1_800 }),
        ms('validate, cold process, processor time', figures.validateCpu),
      ],
      notes: [
        `A round of polls is the median of ${POLLS_A_ROUND} requests that wait for the pass. The medians of the same git call, and of the same request for an unknown factory, are subtracted.`,
        'A pushed automation is live when the event stream reports it (resolution below 1 ms). A delivery that only the new filter accepts is then checked.',
        'A pushed webhook is live when the ingress answers 401 instead of 404 to a request about every millisecond.',
        'A toggle is measured until its answer. The next delivery is then checked.',
        'A cold apply runs in a new process on an empty data directory. It is measured from the recorded start of the pass.',
      ],
    },
    {
      title: 'Longest stall of the ingress thread',
      rows: [...stalls, ms('lateness of the sender itself', figures.lateness)],
      notes: [
        'Inside: longest delay of a timer of 1 ms on the main thread of the daemon. Outside: the longest wait for an answer to `GET /healthz` or a POST, about one per millisecond on one connection.',
        'The processor time of the longest turn excludes the time in which the system runs other programs on the core.',
      ],
    },
    {
      title: 'Processor time',
      rows: [...times, ms('HTTP thread waited for a core', figures.waited)],
      notes: ['Includes the requests of the sender. Processes of git are not included.'],
    },
  ];
}
