import { eventually } from '../test/helpers/eventually.ts';
import { createTempDir } from '../test/helpers/temp-dir.ts';
import { createTempGitRepo } from '../test/helpers/temp-git-repo.ts';
import { drive, GITHUB, type PreparedFactory, prepareFactory, startPrepared, TOKEN } from './ingress-subjects.ts';
import { endBenchDaemon, startBenchDaemon } from './kit/bench-daemon.ts';
import { type Benchmark, type BenchOptions, row, type Table } from './kit/benchmark.ts';
import { prepareProfiler, type ThreadProfile } from './kit/profile-daemon.ts';
import {
  composeAutomation,
  composeLargeFactory,
  importCommits,
  LARGE_SECRET,
  pathOfAutomation,
} from './large-factory.ts';

/** Where the time goes: CPU profiles of the daemon on the two paths. Their figures are shares and have no target. */
export const benchmark: Benchmark = {
  summary: 'CPU profiles of the daemon: a load of deliveries, a cold apply, and pushes',
  isDurable: false,
  defaults: { rounds: 1, seconds: 6 },
  run,
};

const GROUPS = 12;
/** A thread that does less is not part of the path. */
const MIN_BUSY_MS = 20;
const PUSHES = 10;
const LARGE = { automations: 5_000, filters: 10_000 };
const QUICK = { automations: 20, filters: 20 };

async function run({ seconds, isQuick }: BenchOptions): Promise<Table[]> {
  const { automations, filters } = isQuick ? QUICK : LARGE;
  const token = await prepareFactory({ name: 'token', webhooks: 64, automations: 1, credential: TOKEN });
  const github = await prepareFactory({ name: 'github', webhooks: 4, automations: filters, credential: GITHUB });
  const tables = [
    ...describe('Deliveries, token, 64 connections', await profileLoad(token, 'none', seconds)),
    ...describe(
      `Deliveries, GitHub signature, ${filters.toLocaleString('en')} automations, one matches`,
      await profileLoad(github, 'project-7', seconds),
    ),
  ];
  const { cold, pushes } = await profileReconcile(automations);
  const size = `${automations.toLocaleString('en')} automations`;
  tables.push(...describe(`Cold apply of ${size}`, cold));
  tables.push(...describe(`${PUSHES} pushes of 1 automation to a factory of ${size}`, pushes));
  return tables;
}

async function profileLoad(factory: PreparedFactory, project: string, seconds: number): Promise<ThreadProfile[]> {
  const profiler = prepareProfiler();
  const subject = await startPrepared(factory, { isCopy: true, env: profiler.env });
  const load = { connections: 64, bodyBytes: 1_024, project, measuredMs: seconds * 1_000, offeredPerSecond: null };
  // The profiler slows the daemon down, so no rate is taken from this load.
  await drive(subject, { ...load, warmUpMs: 0, isRough: true });
  const threads = await profiler.record(async () => {
    await drive(subject, { ...load, warmUpMs: 0, isRough: true });
  });
  await subject.stop();
  return threads;
}

async function profileReconcile(automations: number) {
  const profiler = prepareProfiler();
  const repo = await createTempGitRepo({ bare: true });
  const webhooks = 20;
  const changes = Array.from(
    { length: PUSHES },
    (_, i) => new Map([[pathOfAutomation(i), composeAutomation(i, webhooks, `changed-${i}`)]]),
  );
  const [first, ...rest] = await importCommits(repo, composeLargeFactory({ automations, webhooks }), changes);
  const config = {
    limits: { webhooksPerFactory: webhooks },
    factories: [{ name: 'bench', source: { type: 'repository', url: repo.path } }],
  };
  const daemon = await startBenchDaemon({ dataDir: createTempDir('bench'), config, env: profiler.env });
  await daemon.api(`/secrets/${LARGE_SECRET.name}`, { method: 'PUT', body: { value: LARGE_SECRET.value } });
  const push = async (commit: string) => {
    await repo.git(['update-ref', `refs/heads/${repo.branch}`, commit]);
    await eventually(async () => (await daemon.api('/factories/bench')).body.applied_revision === commit, 120_000);
  };
  const cold = await profiler.record(() => push(first!));
  const pushes = await profiler.record(async () => {
    for (const commit of rest) await push(commit);
  });
  await endBenchDaemon(daemon);
  repo.remove();
  return { cold, pushes };
}

function describe(path: string, threads: readonly ThreadProfile[]): Table[] {
  return threads
    .filter(({ busyMs }) => busyMs >= MIN_BUSY_MS)
    .map(({ program, busyMs, groups }) => {
      const top = groups.slice(0, GROUPS);
      const rest = groups.slice(GROUPS).reduce((sum, [, ms]) => sum + ms, 0);
      return {
        title: `${path}: ${program === 'main' ? 'HTTP thread' : program}`,
        rows: [...top, ['all others', rest] as const].map(([name, ms]) => row(name, '%', [(ms * 100) / busyMs])),
        notes: [`${busyMs.toFixed(0)} ms on a core or in a system call. Shares of self time.`],
      };
    });
}
