import { resolve } from 'node:path';
import {
  type DaemonSubject,
  drive,
  type FactoryShape,
  GITHUB,
  type Load,
  type Measured,
  type PreparedFactory,
  prepareFactory,
  startPrepared,
  TOKEN,
} from './ingress-subjects.ts';
import { type Benchmark, type BenchOptions, divide, row, type Table } from './kit/benchmark.ts';
import { describePinning } from './kit/pin-process.ts';

/** Durable deliveries of this checkout and of another one, in turns. */
export const benchmark: Benchmark = {
  summary: 'durable deliveries per second, compared with another checkout of this repository',
  isDurable: true,
  defaults: { rounds: 9, seconds: 2 },
  run,
};

const BODY_BYTES = 1_024;
const FIRST_WARM_UP_MS = 4_000;
const WARM_UP_MS = 300;
const AUTOMATIONS = 10_000;
const QUICK_AUTOMATIONS = 50;
/** A change may not cost more than 3 % of the rate. */
const TARGET = { atLeast: 0.97 };

type Name = 'token 64' | 'token 256' | 'github';

const TITLES: Record<Name, string> = {
  'token 64': 'token, 64 connections',
  'token 256': 'token, 256 connections',
  github: 'GitHub signature, many automations, one matches',
};
const NAMES = Object.keys(TITLES) as Name[];

/** One measurement of both checkouts, one directly after the other. */
interface Pair {
  subject: Measured;
  baseline: Measured;
}

/** The same factory, applied by each checkout. */
type Factories = Record<keyof Pair, PreparedFactory>;

/** Loads that the same daemons get, one after another. */
const GROUPS = [
  { factory: 'token', names: ['token 64', 'token 256'] },
  { factory: 'github', names: ['github'] },
] as const;

async function run({ rounds, seconds, isQuick, baseline }: BenchOptions): Promise<Table[]> {
  if (baseline === null) throw new Error('name the other checkout with --baseline DIR');
  const checkout = resolve(baseline);
  const automations = isQuick ? QUICK_AUTOMATIONS : AUTOMATIONS;
  const factories = {
    token: await prepareBoth({ name: 'token', webhooks: 64, automations: 1, credential: TOKEN }, checkout),
    github: await prepareBoth({ name: 'github', webhooks: 4, automations, credential: GITHUB }, checkout),
  };
  const measured: Record<Name, Pair[]> = { 'token 64': [], 'token 256': [], github: [] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (['subject', 'baseline'] as const) : (['baseline', 'subject'] as const);
    for (const { factory, names } of GROUPS) {
      const both = await startBoth(factories[factory]);
      const warmUp = { warmUpMs: isQuick ? WARM_UP_MS : FIRST_WARM_UP_MS };
      for (const side of order) await drive(both[side], { ...composeLoad(names[0], WARM_UP_MS, isQuick), ...warmUp });
      for (const name of names) measured[name].push(await measurePair(both, order, name, seconds, isQuick));
      for (const daemon of Object.values(both)) await daemon.stop();
    }
  }
  return describe(measured, rounds, seconds);
}

async function measurePair(
  both: Record<keyof Pair, DaemonSubject>,
  order: readonly (keyof Pair)[],
  name: Name,
  seconds: number,
  isQuick: boolean,
): Promise<Pair> {
  const pair: Partial<Pair> = {};
  for (const side of order) pair[side] = await drive(both[side], composeLoad(name, seconds * 1_000, isQuick));
  return pair as Pair;
}

function composeLoad(name: Name, measuredMs: number, isRough: boolean): Load {
  return {
    connections: name === 'token 256' ? 256 : 64,
    bodyBytes: BODY_BYTES,
    project: name === 'github' ? 'project-7' : 'none',
    warmUpMs: WARM_UP_MS,
    measuredMs,
    offeredPerSecond: null,
    isRough,
  };
}

async function prepareBoth(shape: FactoryShape, checkout: string): Promise<Factories> {
  return { subject: await prepareFactory(shape), baseline: await prepareFactory({ ...shape, checkout }) };
}

/** Both daemons run at the same time. The one that gets no load is idle. */
async function startBoth({ subject, baseline }: Factories): Promise<Record<keyof Pair, DaemonSubject>> {
  return {
    subject: await startPrepared(subject, { isCopy: true }),
    baseline: await startPrepared(baseline, { isCopy: true }),
  };
}

function describe(measured: Record<Name, Pair[]>, rounds: number, seconds: number): Table[] {
  const pick = (name: Name, side: keyof Pair, figure: keyof Omit<Measured, 'others'>) =>
    measured[name].map((pair) => pair[side][figure]);
  const compare = (name: Name, figure: keyof Omit<Measured, 'others'>) =>
    divide(pick(name, 'subject', figure), pick(name, 'baseline', figure));
  return [
    {
      title: `Durable deliveries, ${BODY_BYTES} bytes, ratio to the other checkout`,
      rows: NAMES.flatMap((name) => [
        row(`${TITLES[name]}: rate`, '×', compare(name, 'answersPerSecond'), TARGET),
        row(`${TITLES[name]}: processor time of all threads`, '×', compare(name, 'allCpuMicros')),
        row(`${TITLES[name]}: processor time of the HTTP thread`, '×', compare(name, 'cpuMicros')),
        row(`${TITLES[name]}: resident memory`, '×', compare(name, 'rssMiB')),
      ]),
      notes: [
        describePinning(),
        `${rounds} rounds. In each, new daemons of both checkouts take turns of ${seconds} s after a warm-up, and the next round starts with the other one.`,
      ],
    },
    {
      title: 'Figures behind the ratios',
      rows: NAMES.flatMap((name) =>
        (['subject', 'baseline'] as const).flatMap((side) => {
          const whose = side === 'subject' ? 'this checkout' : 'the other one';
          return [
            row(`${TITLES[name]}: ${whose}`, '/s', pick(name, side, 'answersPerSecond')),
            row(`${TITLES[name]}: ${whose}, all threads per delivery`, 'µs', pick(name, side, 'allCpuMicros')),
            row(`${TITLES[name]}: ${whose}, private memory`, 'MiB', pick(name, side, 'privateMiB')),
          ];
        }),
      ),
      notes: [],
    },
  ];
}
