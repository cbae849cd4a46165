import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startStorage } from '../src/storage/thread/start-storage.ts';
import { applyOneOfEach } from '../test/helpers/build-apply.ts';
import { createTempDir } from '../test/helpers/temp-dir.ts';
import { fillDeliveryLog } from './fill-delivery-log.ts';
import { type Benchmark, type BenchOptions, row, type Table } from './kit/benchmark.ts';
import { takeLargest, takeMedian, takePercentile } from './kit/statistics.ts';
import { watchBatches } from './kit/watch-batches.ts';

/** Removing expired deliveries, and the delay of deliveries that arrive meanwhile. */
export const benchmark: Benchmark = {
  summary: 'removal of expired deliveries, and the delay of deliveries that arrive during it',
  isDurable: true,
  defaults: { rounds: 5, seconds: 3 },
  run,
};

const DELIVERIES = 300_000;
const QUICK_DELIVERIES = 3_000;
/** As the daemon pauses between two pieces. */
const PIECE_PAUSE_MS = 50;
const DAY_MS = 24 * 60 * 60 * 1000;
const POLICY = {
  deliveriesMs: 7 * DAY_MS,
  minDeliveries: 50,
  identitiesMs: 90 * DAY_MS,
  runsMs: 30 * DAY_MS,
  auditMs: 365 * DAY_MS,
  secretVersionsMs: 30 * DAY_MS,
};
const WORKER = new URL('../dist/storage/sqlite/thread/worker.js', import.meta.url);

interface Figures {
  piece: number[];
  longestPiece: number[];
  idle: number[];
  meanwhile: number[];
  longest: number[];
}

async function run({ rounds, seconds, isQuick }: BenchOptions): Promise<Table[]> {
  const deliveries = isQuick ? QUICK_DELIVERIES : DELIVERIES;
  const folder = createTempDir('bench');
  const file = join(folder, 'dockbell.db');
  const prepared = await startStorage(WORKER, { file });
  const { webhook } = await applyOneOfEach(prepared.storage);
  await prepared.close();
  // All are older than the retention of identities, so each removes its identity, too.
  const nowMs = Date.now();
  await fillDeliveryLog(folder, { deliveries, spanMs: DAY_MS, nowMs: nowMs - 91 * DAY_MS, kind: 'accepted' });
  const { storage, close } = await startStorage(WORKER, { file });
  const figures: Figures = { piece: [], longestPiece: [], idle: [], meanwhile: [], longest: [] };
  for (let round = 0; round < rounds; round++) {
    figures.idle.push(takePercentile(await watchBatches(storage, webhook, () => pause(seconds * 1_000)), 0.99));
    const pieces: number[] = [];
    const endsAt = performance.now() + seconds * 1_000;
    const batches = await watchBatches(storage, webhook, async () => {
      while (performance.now() < endsAt) {
        const begunMs = performance.now();
        const { more } = await storage.retention.prune(POLICY, nowMs);
        pieces.push(performance.now() - begunMs);
        if (!more) throw new Error('nothing is left to remove: the log is too small for this number of rounds');
        await pause(PIECE_PAUSE_MS);
      }
    });
    figures.piece.push(takeMedian(pieces));
    figures.longestPiece.push(takeLargest(pieces));
    figures.meanwhile.push(takePercentile(batches, 0.99));
    figures.longest.push(takeLargest(batches));
  }
  await close();
  return [
    {
      title: `Retention, ${deliveries.toLocaleString('en')} expired deliveries`,
      rows: [
        row('one piece', 'ms', figures.piece),
        row('longest piece', 'ms', figures.longestPiece),
        row('p99 of a delivery, no retention', 'ms', figures.idle),
        row('p99 of a delivery during retention', 'ms', figures.meanwhile),
        row('longest delivery during retention', 'ms', figures.longest),
      ],
      notes: [
        'A piece removes at most a few hundred rows. As in the daemon, 50 ms pass between two pieces.',
        'A delivery is written every few milliseconds, until it is durable. Both phases take turns.',
      ],
    },
  ];
}
