import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { generateLoad } from './generate-load.ts';
import {
  drive,
  GITHUB,
  type Load,
  type Measured,
  type PreparedFactory,
  prepareFactory,
  type Subject,
  startBaseline,
  startPrepared,
  storeDeliveries,
  TOKEN,
} from './ingress-subjects.ts';
import { type Benchmark, type BenchOptions, divide, row, type Table } from './kit/benchmark.ts';
import { describePinning } from './kit/pin-process.ts';
import { takeMedian } from './kit/statistics.ts';

/** From a POST to a durable `202`, compared with a plain `node:http` server. */
export const benchmark: Benchmark = {
  summary: 'durable deliveries per second, compared with a plain node:http server; latency and memory under load',
  isDurable: true,
  defaults: { rounds: 5, seconds: 3 },
  run,
};

const WEBHOOKS = 64;
/** Few, because every automation listens to all of them. */
const FILTER_WEBHOOKS = 4;
const STORED = 1_000_000;
const AUTOMATIONS = 10_000;
const OFFERED = 5_000;
const BODY_BYTES = 1_024;
/** Of a daemon that has just started: it includes the compilation of the hot path. */
const FIRST_WARM_UP_MS = 4_000;
const WARM_UP_MS = 500;
const LONE_DELIVERIES = 40;
const LONE_PAUSE_MS = 25;
const PAGE = Buffer.alloc(4_096, 7);

/** Sizes of a run. */
interface Sizes {
  stored: number;
  automations: number;
  offered: number;
  firstWarmUpMs: number;
  warmUpMs: number;
  isRough: boolean;
}

const LARGE: Sizes = {
  stored: STORED,
  automations: AUTOMATIONS,
  offered: OFFERED,
  firstWarmUpMs: FIRST_WARM_UP_MS,
  warmUpMs: WARM_UP_MS,
  isRough: false,
};
const QUICK: Sizes = { stored: 2_000, automations: 50, offered: 100, firstWarmUpMs: 100, warmUpMs: 50, isRough: true };

/** Names of the measurements of a round. */
type Name =
  | 'read 64'
  | 'parse 64'
  | 'read 256'
  | 'read offered'
  | 'empty 64'
  | 'empty 256'
  | 'empty offered'
  | 'stored 64'
  | 'one of many'
  | 'none of many'
  | 'none of one';

interface Round {
  measured: Record<Name, Measured>;
  lone: { deliveryMs: number; fsyncMs: number };
}

async function run({ rounds, seconds, isQuick }: BenchOptions): Promise<Table[]> {
  const sizes = isQuick ? QUICK : LARGE;
  const empty = await prepareFactory({ name: 'empty', webhooks: WEBHOOKS, automations: 1, credential: TOKEN });
  const stored = await prepareFactory({ name: 'stored', webhooks: WEBHOOKS, automations: 1, credential: TOKEN });
  await storeDeliveries(stored, sizes.stored);
  const shape = { webhooks: FILTER_WEBHOOKS, credential: GITHUB };
  const many = await prepareFactory({ ...shape, name: 'many', automations: sizes.automations });
  const one = await prepareFactory({ ...shape, name: 'one', automations: 1 });
  const baselines = { read: await startBaseline('read'), parse: await startBaseline('parse') };
  const all: Round[] = [];
  for (let i = 0; i < rounds; i++)
    all.push(await measureRound({ empty, stored, many, one }, baselines, sizes, seconds));
  for (const baseline of Object.values(baselines)) await baseline.stop();
  return describe(all, sizes, seconds);
}

type Factories = Record<'empty' | 'stored' | 'many' | 'one', PreparedFactory>;

/** Each daemon starts in each round, on a copy of its prepared state. So no round finds what an earlier one stored. */
async function measureRound(
  factories: Factories,
  { read, parse }: Record<'read' | 'parse', Subject>,
  { offered, firstWarmUpMs, warmUpMs, isRough }: Sizes,
  seconds: number,
): Promise<Round> {
  const measured = {} as Record<Name, Measured>;
  const load = (change: Partial<Load> = {}): Load => ({
    connections: 64,
    bodyBytes: BODY_BYTES,
    project: 'none',
    warmUpMs,
    measuredMs: seconds * 1_000,
    offeredPerSecond: null,
    isRough,
    ...change,
  });
  const measure = async (name: Name, subject: Subject, change: Partial<Load> = {}) => {
    measured[name] = await drive(subject, load(change));
  };
  const using = async (factory: PreparedFactory, act: (subject: Subject) => Promise<void>) => {
    const subject = await startPrepared(factory, { isCopy: true });
    await act(subject);
    await subject.stop();
  };
  const first = { warmUpMs: firstWarmUpMs };
  const open = { connections: 128, offeredPerSecond: offered };
  let lone = { deliveryMs: Number.NaN, fsyncMs: Number.NaN };

  await measure('read 64', read);
  await measure('parse 64', parse);
  await using(factories.empty, async (subject) => {
    await measure('empty 64', subject, first);
    await measure('read 256', read, { connections: 256 });
    await measure('empty 256', subject, { connections: 256 });
    await measure('read offered', read, open);
    await measure('empty offered', subject, open);
    lone = await measureLone(subject);
  });
  await using(factories.stored, (subject) => measure('stored 64', subject, first));
  await using(factories.many, async (subject) => {
    await measure('one of many', subject, { project: 'project-7', warmUpMs: firstWarmUpMs });
    await measure('none of many', subject);
  });
  await using(factories.one, async (subject) => {
    // The same load as above, so that both daemons are equally warm.
    await drive(subject, load({ project: 'project-0', warmUpMs: firstWarmUpMs }));
    await measure('none of one', subject);
  });
  return { measured, lone };
}

/** Single deliveries to an idle daemon, alternating with an fdatasync. Medians. */
async function measureLone({ port, paths, credential }: Subject): Promise<Round['lone']> {
  const folder = mkdtempSync(join(tmpdir(), 'dockbell-fsync-'));
  const descriptor = openSync(join(folder, 'file'), 'w');
  const deliveries: number[] = [];
  const syncs: number[] = [];
  const order = { port, paths: [paths[0]!], credential, bodyBytes: BODY_BYTES, project: 'none' };
  await pause(1_000);
  for (let i = 0; i < LONE_DELIVERIES; i++) {
    await pause(LONE_PAUSE_MS);
    const begunMs = performance.now();
    writeSync(descriptor, PAGE);
    fdatasyncSync(descriptor);
    syncs.push(performance.now() - begunMs);
    await pause(LONE_PAUSE_MS);
    // One request: the time has elapsed when its response arrives.
    const { p50Ms, others } = await generateLoad({ ...order, warmUpMs: 0, measuredMs: 0.001, offeredPerSecond: null });
    if (Object.keys(others).length > 0) throw new Error(`a lone delivery was answered with ${JSON.stringify(others)}`);
    deliveries.push(p50Ms);
  }
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
  return { deliveryMs: takeMedian(deliveries), fsyncMs: takeMedian(syncs) };
}

function describe(rounds: readonly Round[], { stored, automations, offered }: Sizes, seconds: number): Table[] {
  const pick = (name: Name, figure: keyof Omit<Measured, 'others'>) =>
    rounds.map(({ measured }) => measured[name][figure]);
  const ratio = (name: Name, to: Name, figure: 'answersPerSecond' | 'cpuMicros' = 'answersPerSecond') =>
    divide(pick(name, figure), pick(to, figure));
  const rate = (measure: string, name: Name) => row(measure, '/s', pick(name, 'answersPerSecond'));
  const many = automations.toLocaleString('en');
  return [
    {
      title: `Durable deliveries, ${BODY_BYTES} bytes`,
      rows: [
        row('token, 64 connections, ratio to node:http', '×', ratio('empty 64', 'read 64'), {
          atLeast: 0.4,
          stretch: 0.5,
        }),
        row(
          `with ${stored.toLocaleString('en')} stored deliveries, ratio to the empty store`,
          '×',
          ratio('stored 64', 'empty 64'),
          { atLeast: 0.9, stretch: 1 },
        ),
        row(
          `GitHub signature, ${many} automations, one matches, ratio to node:http`,
          '×',
          ratio('one of many', 'read 64'),
          { atLeast: 0.28, stretch: 0.36 },
        ),
        row('token, 256 connections, ratio to node:http', '×', ratio('empty 256', 'read 256'), {
          atLeast: 0.5,
          stretch: 0.6,
        }),
        row(`p99 at ${offered.toLocaleString('en')}/s offered`, 'ms', pick('empty offered', 'p99Ms'), {
          atMost: 10,
          stretch: 5,
        }),
        row('p99 saturated, 64 connections', 'ms', pick('empty 64', 'p99Ms'), { atMost: 12, stretch: 7 }),
        row(
          `resident memory under load, ${stored.toLocaleString('en')} identities`,
          'MiB',
          pick('stored 64', 'rssMiB'),
          { atMost: 200, stretch: 160 },
        ),
        row(
          `${many} automations that do not match / 1, processor time of the HTTP thread`,
          '×',
          ratio('none of many', 'none of one', 'cpuMicros'),
          { atMost: 1.1, stretch: 1 },
        ),
        row(
          'lone delivery to an idle daemon, minus one fsync',
          'ms',
          rounds.map(({ lone }) => lone.deliveryMs - lone.fsyncMs),
          { atMost: 1 },
        ),
      ],
      notes: [
        describePinning(),
        `${rounds.length} rounds of all measurements in turns. Each measurement takes ${seconds} s after a warm-up. Each ratio is of one round.`,
        'Every delivery has a random identity and a different body. The only automation of the token factory never matches.',
        'Runs of the automation that matches are stored and stay queued: no executor is configured, so nothing is started.',
        'A lone delivery opens its connection before it is measured.',
      ],
    },
    {
      title: 'Figures behind the ratios',
      rows: [
        rate('node:http, reads the body, 64 connections', 'read 64'),
        rate('node:http, parses the body, 64 connections', 'parse 64'),
        rate('token, 64 connections', 'empty 64'),
        rate(`token, 64 connections, ${stored.toLocaleString('en')} stored`, 'stored 64'),
        rate('node:http, reads the body, 256 connections', 'read 256'),
        rate('token, 256 connections', 'empty 256'),
        rate(`GitHub signature, ${many} automations, one matches`, 'one of many'),
        rate(`GitHub signature, ${many} automations, none matches`, 'none of many'),
        rate('GitHub signature, 1 automation, does not match', 'none of one'),
        row('p50 saturated, 64 connections', 'ms', pick('empty 64', 'p50Ms')),
        row(`p50 at ${offered.toLocaleString('en')}/s offered`, 'ms', pick('empty offered', 'p50Ms')),
        row(`p99 of node:http at ${offered.toLocaleString('en')}/s offered`, 'ms', pick('read offered', 'p99Ms')),
        row(`rate, ${many} automations that do not match / 1`, '×', ratio('none of many', 'none of one')),
        row('HTTP thread per request: node:http', 'µs', pick('read 64', 'cpuMicros')),
        row('HTTP thread per delivery: token', 'µs', pick('empty 64', 'cpuMicros')),
        row(`HTTP thread per delivery: GitHub, ${many}, one matches`, 'µs', pick('one of many', 'cpuMicros')),
        row(`HTTP thread per delivery: GitHub, ${many}, none matches`, 'µs', pick('none of many', 'cpuMicros')),
        row('HTTP thread per delivery: GitHub, 1, does not match', 'µs', pick('none of one', 'cpuMicros')),
        row('all threads per delivery: token', 'µs', pick('empty 64', 'allCpuMicros')),
        row('all threads per delivery: GitHub, 1, does not match', 'µs', pick('none of one', 'allCpuMicros')),
        row(
          'token, 64 connections, ratio to node:http by processor time of all threads',
          '×',
          divide(pick('read 64', 'allCpuMicros'), pick('empty 64', 'allCpuMicros')),
        ),
        row('resident memory under load, empty store', 'MiB', pick('empty 64', 'rssMiB')),
        row(`private part of it, ${stored.toLocaleString('en')} identities`, 'MiB', pick('stored 64', 'privateMiB')),
        row('private part of it, empty store', 'MiB', pick('empty 64', 'privateMiB')),
        row(
          'lone delivery to an idle daemon',
          'ms',
          rounds.map(({ lone }) => lone.deliveryMs),
        ),
        row(
          'fdatasync in turn with it',
          'ms',
          rounds.map(({ lone }) => lone.fsyncMs),
        ),
        row('load generator busy, node:http', '×', pick('read 64', 'busy')),
      ],
      notes: ['A load generator that is busy for more than 0.97 of the time ends the run with an error.'],
    },
  ];
}
