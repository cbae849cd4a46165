import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DEFAULT_BOUNDS, runBacktest } from '../src/reconcile/plan/backtest.ts';
import { startStorage } from '../src/storage/thread/start-storage.ts';
import { applyOneOfEach } from '../test/helpers/build-apply.ts';
import { createTempDir } from '../test/helpers/temp-dir.ts';
import { fillDeliveryLog } from './fill-delivery-log.ts';
import { type Benchmark, type BenchOptions, row, type Table } from './kit/benchmark.ts';
import { takeLargest, takePercentile } from './kit/statistics.ts';
import { watchBatches } from './kit/watch-batches.ts';

/** A backtest on a large log, compared with reading and parsing as many payloads, and the delay of deliveries meanwhile. */
export const benchmark: Benchmark = {
  summary: 'a backtest on 1,000,000 deliveries, and the delay of deliveries that arrive during it',
  isDurable: true,
  defaults: { rounds: 3, seconds: 1 },
  run,
};

const DELIVERIES = 1_000_000;
const QUICK_DELIVERIES = 2_000;
const BODY_BYTES = 1_024;
const DAY_MS = 24 * 60 * 60 * 1000;
const WORKER = new URL('../dist/storage/sqlite/thread/worker.js', import.meta.url);
const BODIES = ['info', 'error', 'fatal'].map((level) =>
  JSON.stringify({ level, service: { name: 'api' }, text: 'x'.repeat(BODY_BYTES - 60) }),
);

async function run({ rounds, seconds, isQuick }: BenchOptions): Promise<Table[]> {
  const deliveries = isQuick ? QUICK_DELIVERIES : DELIVERIES;
  const folder = createTempDir('bench');
  const file = join(folder, 'dockbell.db');
  const nowMs = Date.now();
  const prepared = await startStorage(WORKER, { file });
  const { webhook, uid } = await applyOneOfEach(prepared.storage);
  await prepared.close();
  const composeBody = (i: number) => BODIES[i % 50 === 0 ? 2 : i % 2]!;
  await fillDeliveryLog(folder, { deliveries, spanMs: 7 * DAY_MS, nowMs, kind: 'accepted', composeBody });

  const { storage, close } = await startStorage(WORKER, { file });
  const filterBy = (level: string) => new Map([[uid as `wh_${string}`, [{ payload: { level: [level] } }]]]);
  const took: number[] = [];
  const bare: number[] = [];
  const examined: number[] = [];
  const waits = { idle: [] as number[], meanwhile: [] as number[], longest: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    waits.idle.push(takePercentile(await watchBatches(storage, webhook, () => pauseFor(seconds)), 0.99));
    const batches = await watchBatches(storage, webhook, async () => {
      const begunMs = performance.now();
      const { backtest } = await runBacktest(
        { payloads: storage.storedPayloads, nowMs, monotonicMs: () => performance.now(), bounds: DEFAULT_BOUNDS },
        [{ automation: 'triage', before: filterBy('error'), after: filterBy('fatal') }],
      );
      took.push(performance.now() - begunMs);
      const [one] = backtest.automations;
      if (one === undefined || one.before === 0 || one.after === 0)
        throw new Error(`the backtest found ${JSON.stringify(backtest)}`);
      examined.push(backtest.examined);
    });
    waits.meanwhile.push(takePercentile(batches, 0.99));
    waits.longest.push(takeLargest(batches));
    bare.push(readBare(file, examined.at(-1)!));
  }
  await close();
  return [
    {
      title: `Backtest on ${deliveries.toLocaleString('en')} deliveries`,
      rows: [
        row('backtest', 'ms', took),
        row('examined payloads', '', examined),
        row('reading and parsing as many payloads', 'ms', bare),
        row('p99 of a batch of deliveries, no backtest', 'ms', waits.idle),
        row('p99 of a batch of deliveries during the backtest', 'ms', waits.meanwhile),
        row('longest batch of deliveries during the backtest', 'ms', waits.longest),
      ],
      notes: ['A batch is one delivery, written every few milliseconds until it is durable.'],
    },
  ];
}

function pauseFor(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}

function readBare(file: string, count: number): number {
  const db = new Database(file, { readonly: true });
  const startMs = performance.now();
  const rows = db.prepare<[number], { body: Buffer }>('SELECT body FROM delivery_contents LIMIT ?').iterate(count);
  for (const { body } of rows) JSON.parse(body.toString('utf8'));
  const passedMs = performance.now() - startMs;
  db.close();
  return passedMs;
}
