import { CLIENTS, IdleSenders } from './idle-senders.ts';
import {
  type DaemonSubject,
  drive,
  prepareFactory,
  startPrepared,
  storeDeliveries,
  TOKEN,
} from './ingress-subjects.ts';
import { type Benchmark, type BenchOptions, row, type Table } from './kit/benchmark.ts';
import { type DaemonSize, readDaemonSize } from './kit/daemon-size.ts';
import { takeLargest, takeMedian } from './kit/statistics.ts';

/** Steady load for a long time: nothing may grow, and each delivery must get its `202`. */
export const benchmark: Benchmark = {
  summary: 'steady load with retention and runs for a long time: growth and lost deliveries',
  isDurable: true,
  defaults: { rounds: 20, seconds: 60 },
  run,
};

const PER_SECOND = 100;
const CONNECTIONS = 20;
const STORED = 100_000;
const QUICK_STORED = 1_000;
const SAMPLE_MS = 1_000;
/** Senders of each client. Their deliveries start runs. */
const IDLE_SENDERS = 10;
/** From below the idle timeout that the daemon announces to above it. */
const IDLE_MS = [4_000, 7_000] as const;
/** Share of the rounds before growth is measured: caches fill, and retention removes what was stored before. */
const WARM_UP = 0.25;
/** With fewer rounds after the warm-up, growth is not measured. */
const FEWEST_COMPARED = 4;
const RETENTION = { deliveries: '1m', minDeliveries: 1, identities: '2m', runs: '1m' };

/** By how much the median of the second half may exceed the median of the first half. */
const MOST_GROWTH: Readonly<Record<keyof DaemonSize, number>> = {
  rssMiB: 24,
  openFiles: 16,
  threads: 4,
  walMiB: 16,
  databaseMiB: 16,
};

/** One round. Sizes are the largest ones that were seen in it. */
interface Slice extends DaemonSize {
  p50Ms: number;
  p99Ms: number;
  answers: number;
}

async function run({ rounds, seconds, isQuick }: BenchOptions): Promise<Table[]> {
  const factory = await prepareFactory({ name: 'soak', webhooks: 5, automations: 1, credential: TOKEN });
  factory.config.retention = RETENTION;
  runCommands(factory.config);
  await storeDeliveries(factory, isQuick ? QUICK_STORED : STORED);
  const subject = await startPrepared(factory, { isCopy: false });
  const idle = startIdleSenders(subject);
  const slices: Slice[] = [];
  for (let round = 0; round < rounds; round++) {
    slices.push(await measureSlice(subject, seconds));
    requireNoFailures(idle.failures);
  }
  await idle.stop();
  requireNoFailures(idle.failures);
  await subject.stop();
  requireNoGrowth(slices);
  return [describeSlices(slices, idle)];
}

/** Each run is a process that ends immediately. */
function runCommands(config: Record<string, unknown>): void {
  const [factory] = config.factories as Record<string, unknown>[];
  factory!.runs = { executor: { type: 'command', command: ['/bin/true'] }, concurrency: 2 };
}

function startIdleSenders({ port, paths }: DaemonSubject): IdleSenders {
  const token = TOKEN.kind === 'token' ? TOKEN.token : '';
  return new IdleSenders({ port, paths, token, project: 'project-0', senders: IDLE_SENDERS, gapMs: IDLE_MS });
}

async function measureSlice(subject: DaemonSubject, seconds: number): Promise<Slice> {
  const sizes = [readDaemonSize(subject)];
  const sampling = setInterval(() => sizes.push(readDaemonSize(subject)), SAMPLE_MS);
  const { p50Ms, p99Ms, answers } = await drive(subject, {
    connections: CONNECTIONS,
    offeredPerSecond: PER_SECOND,
    bodyBytes: 1_024,
    project: 'none',
    warmUpMs: 0,
    measuredMs: seconds * 1_000,
    isRough: true,
  });
  clearInterval(sampling);
  const largest = (figure: keyof DaemonSize) => takeLargest(sizes.map((size) => size[figure]));
  return {
    p50Ms,
    p99Ms,
    answers,
    rssMiB: largest('rssMiB'),
    openFiles: largest('openFiles'),
    threads: largest('threads'),
    walMiB: largest('walMiB'),
    databaseMiB: largest('databaseMiB'),
  };
}

function requireNoFailures(failures: readonly string[]): void {
  if (failures.length > 0) throw new Error(`${failures.length} deliveries without a 202: ${failures.join(', ')}`);
}

/** Throws if something grew by more than its bound after the warm-up. */
function requireNoGrowth(slices: readonly Slice[]): void {
  const compared = slices.slice(Math.ceil(slices.length * WARM_UP));
  if (compared.length < FEWEST_COMPARED) return;
  const middle = compared.length >> 1;
  for (const [figure, bound] of Object.entries(MOST_GROWTH) as [keyof DaemonSize, number][]) {
    const [first, second] = [compared.slice(0, middle), compared.slice(middle)].map((half) =>
      takeMedian(half.map((slice) => slice[figure])),
    ) as [number, number];
    if (second - first > bound)
      throw new Error(`${figure} grew from ${first.toFixed(1)} to ${second.toFixed(1)}, by more than ${bound}`);
  }
}

function describeSlices(slices: readonly Slice[], idle: IdleSenders): Table {
  const of = (figure: keyof Slice) => slices.map((slice) => slice[figure]);
  const answers = of('answers').reduce((sum, count) => sum + count, 0);
  const outcomes = CLIENTS.map((name) => idle.outcomes[name]);
  const sum = (figure: 'accepted' | 'reused') => outcomes.reduce((total, outcome) => total + outcome[figure], 0);
  return {
    title: `Soak, ${PER_SECOND} deliveries per second`,
    rows: [
      row('deliveries of steady senders', '', [answers]),
      row('deliveries of idle senders', '', [sum('accepted')]),
      row('of these, on a connection that was used before', '', [sum('reused')]),
      row('answers other than 202, and connections without an answer', '', [0], { atMost: 0 }),
      row('p50', 'ms', of('p50Ms')),
      row('p99', 'ms', of('p99Ms')),
      row('resident memory', 'MiB', of('rssMiB')),
      row('open files', '', of('openFiles')),
      row('threads', '', of('threads')),
      row('write-ahead log', 'MiB', of('walMiB')),
      row('database file', 'MiB', of('databaseMiB')),
    ],
    notes: [
      `${slices.length} measurements, one after another, on one daemon. Sizes are the largest of each measurement.`,
      `The store holds ${STORED.toLocaleString('en')} deliveries at the start, and retention removes deliveries after a minute.`,
      `${IDLE_SENDERS} senders for each of ${CLIENTS.length} HTTP clients pause for ${IDLE_MS[0] / 1_000} to ${IDLE_MS[1] / 1_000} s between two deliveries. Each of their deliveries starts a run.`,
      `An unexpected answer ends the run with an error. So does growth: the medians of both halves after the warm-up may differ by ${describeBounds()}.`,
    ],
  };
}

function describeBounds(): string {
  const { rssMiB, openFiles, threads, walMiB, databaseMiB } = MOST_GROWTH;
  return `${rssMiB} MiB of memory, ${openFiles} open files, ${threads} threads, ${walMiB} MiB of log and ${databaseMiB} MiB of database`;
}
