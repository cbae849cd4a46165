import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../src/core/errors.ts';
import { eventually } from '../test/helpers/eventually.ts';
import { createTempGitRepo } from '../test/helpers/temp-git-repo.ts';
import { startTestDaemon } from '../test/helpers/test-daemon.ts';
import { type LoadOrder, type LoadResult, requireAccepted } from './generate-load.ts';

/**
 * Measures the durable deliveries per second of the built daemon, compared with a plain `node:http` server that stores nothing.
 * One load generator drives both in turns, each in a separate process, so that the ratio is valid on a machine with
 * changing speed. If other programs use the cores, the CPU time per response on the HTTP thread is more reliable.
 * Usage: `npm run bench -- ingress [rounds] [seconds]`.
 */
const CONNECTIONS = 64;
const BODY_BYTES = 1_024;
const WARM_UP_MS = 1_000;
const TOKEN = 'dbs_benchmark-token-of-32-characters';

const rounds = Number(process.argv[2] ?? 3);
const measuredMs = Number(process.argv[3] ?? 5) * 1_000;

const baseline = await startBaseline();
const daemon = await startDockbell();
try {
  await compare();
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
} finally {
  baseline.stop();
  await daemon.stop();
}

async function compare(): Promise<void> {
  const results: Record<'baseline' | 'dockbell', Measured[]> = { baseline: [], dockbell: [] };
  process.stdout.write(`${rounds} rounds of ${measuredMs / 1000} s, ${CONNECTIONS} connections, ${BODY_BYTES} bytes, `);
  process.stdout.write(`${cpus().length} cores, Node ${process.versions.node}\n`);
  for (let round = 1; round <= rounds; round++) {
    for (const [name, server] of [
      ['baseline', baseline],
      ['dockbell', daemon],
    ] as const) {
      const result = await drive({ ...server, prefix: `r${round}` });
      requireAccepted(`round ${round} of ${name}`, result);
      results[name].push(result);
      process.stdout.write(`round ${round}  ${formatResult(name, result)}\n`);
    }
  }
  const medians = { baseline: takeMedian(results.baseline), dockbell: takeMedian(results.dockbell) };
  for (const name of ['baseline', 'dockbell'] as const)
    process.stdout.write(`median   ${formatResult(name, medians[name])}\n`);
  const ratio = medians.dockbell.answersPerSecond / medians.baseline.answersPerSecond;
  const cpuRatio = medians.baseline.cpuMicros / medians.dockbell.cpuMicros;
  process.stdout.write(
    `ratio    dockbell / baseline ${ratio.toFixed(2)}, by CPU time of the HTTP thread ${cpuRatio.toFixed(2)}\n`,
  );
}

interface Target {
  pid: number;
  port: number;
  paths: string[];
  stop(): unknown;
}

async function startBaseline(): Promise<Target> {
  const child = startScript('baseline-server.ts');
  const [port] = (await once(child, 'message')) as [number];
  return {
    pid: child.pid!,
    port,
    paths: Array(CONNECTIONS).fill('/webhooks/w/wh_00000000000000000000000000'),
    stop: () => child.kill(),
  };
}

/**
 * A factory with a webhook for each connection, because `limits.deliveriesPerMinute` is at most 100,000, which is 1,667 per
 * second for one webhook. An automation is triggered by all of them, with a filter that never matches. So payloads are
 * evaluated and no run is started.
 */
async function startDockbell(): Promise<Target> {
  const names = Array.from({ length: CONNECTIONS }, (_, index) => `hook-${index}`);
  const repo = await createTempGitRepo();
  const webhooks = Object.fromEntries(names.map((name) => [`webhooks/${name}.yaml`, 'secretName: BENCH_SECRET\n']));
  const filter = `webhooks: [${names.join(', ')}], payload: { level: [debug] }`;
  const front = `triggers:\n  - { provider: webhook, event: received, filter: { ${filter} } }`;
  await repo.commit({ ...webhooks, 'automations/never/automation.md': `---\n${front}\n---\nNothing to do.\n` });
  const started = await startTestDaemon({
    config: {
      limits: { deliveriesPerMinute: 100_000, webhooksPerFactory: CONNECTIONS },
      factories: [{ name: 'bench', source: { type: 'repository', url: repo.path } }],
    },
  });
  await started.api('/secrets/BENCH_SECRET', { method: 'PUT', body: { value: TOKEN } });
  const list = await eventually(async () => {
    const { body } = await started.api('/factories/bench/webhooks?limit=100');
    return body.data?.length === CONNECTIONS && (body.data as { ingress_url: string }[]);
  });
  return {
    pid: started.pid,
    port: Number(new URL(started.ingressUrl).port),
    paths: list.map(({ ingress_url: url }) => new URL(url).pathname),
    stop: async () => {
      await started.end('SIGTERM');
      repo.remove();
    },
  };
}

interface Measured extends LoadResult {
  /** CPU time of the server's main thread per response, in microseconds; `NaN` if the system does not provide it. */
  cpuMicros: number;
}

async function drive({ pid, port, paths, prefix }: Target & { prefix: string }): Promise<Measured> {
  const child = startScript('load-generator.ts');
  const order: LoadOrder = {
    port,
    paths,
    prefix,
    token: TOKEN,
    bodyBytes: BODY_BYTES,
    warmUpMs: WARM_UP_MS,
    measuredMs,
  };
  const before = readMainThreadCpuMs(pid);
  child.send(order);
  const [result] = (await once(child, 'message')) as [LoadResult];
  return { ...result, cpuMicros: ((readMainThreadCpuMs(pid) - before) * 1_000) / result.answers };
}

/** Linux counts it per thread, in hundredths of a second. The main thread has the number of its process. */
function readMainThreadCpuMs(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function startScript(name: string): ChildProcess {
  return fork(fileURLToPath(new URL(name, import.meta.url)), { execArgv: ['--import', 'tsx'] });
}

function takeMedian(all: Measured[]): Measured {
  const middle = (pick: (result: Measured) => number) =>
    all.map(pick).sort((a, b) => a - b)[Math.floor(all.length / 2)]!;
  return {
    answersPerSecond: middle((result) => result.answersPerSecond),
    p50Ms: middle((result) => result.p50Ms),
    p99Ms: middle((result) => result.p99Ms),
    cpuMicros: middle((result) => result.cpuMicros),
    answers: middle((result) => result.answers),
    others: {},
  };
}

function formatResult(name: string, { answersPerSecond, p50Ms, p99Ms, cpuMicros }: Measured): string {
  const rate = Math.round(answersPerSecond).toLocaleString('en').padStart(7);
  return `${name.padEnd(9)}${rate}/s  p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms  ${cpuMicros.toFixed(0)} us CPU an answer`;
}
