import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DEFAULT_BOUNDS, runBacktest } from '../src/plan/backtest.ts';
import { createDeliveryListing } from '../src/storage/sqlite/delivery-listing.ts';
import { startStorage } from '../src/storage/sqlite/thread/start-storage.ts';
import { applyOneOfEach } from '../test/helpers/build-apply.ts';

/**
 * Measures the duration of a backtest on a log of 1,000,000 deliveries, and the delay of deliveries that arrive during it.
 * Compares it with reading and parsing as many payloads. Usage: `npm run bench -- backtest [deliveries] [bytes]`.
 */
const deliveries = Number(process.argv[2] ?? 1_000_000);
const bodyBytes = Number(process.argv[3] ?? 1_024);
const DAY_MS = 24 * 60 * 60 * 1000;

const folder = mkdtempSync(join(tmpdir(), 'dockbell-bench-'));
const file = join(folder, 'dockbell.db');
const worker = new URL('../dist/storage/sqlite/thread/worker.js', import.meta.url);
const nowMs = Date.now();

const prepared = await startStorage(worker, { file });
const { webhook, uid } = await applyOneOfEach(prepared.storage);
await prepared.close();
fill(webhook);

const { storage, close } = await startStorage(worker, { file });
const waits = watchBatches();
const begunMs = performance.now();
const before = process.memoryUsage().rss;
const { backtest } = await runBacktest(
  { payloads: storage.storedPayloads, nowMs, monotonicMs: () => performance.now(), bounds: DEFAULT_BOUNDS },
  [{ automation: 'triage', before: filterBy('error'), after: filterBy('fatal') }],
);
const tookMs = performance.now() - begunMs;
const batches = await waits.stop();
const [one] = backtest.automations;
const megabytes = (process.memoryUsage().rss - before) / 1_000_000;
print('stored', backtest.stored.toLocaleString('en'));
print('examined', backtest.examined.toLocaleString('en'));
print('starts', `${one!.before} → ${one!.after}`);
print('backtest', `${tookMs.toFixed(0)} ms, ${megabytes.toFixed(0)} MB more memory`);
print('baseline', `${readBare(backtest.examined).toFixed(0)} ms to read and parse as many in one go`);
print(
  'batches',
  `${batches.length} meanwhile, p50 ${at(batches, 0.5)} ms, p99 ${at(batches, 0.99)} ms, longest ${at(batches, 1)} ms`,
);
await close();
rmSync(folder, { recursive: true });

/** The log as the daemon stores it, spread over seven days. Written with SQL, because only reading is measured. */
function fill(ref: number): void {
  const db = new Database(file);
  db.pragma('synchronous = OFF');
  const delivery = db.prepare(
    `INSERT INTO deliveries (id, webhook, label, identity_source, identity, size, received_at, client_address)
     VALUES (?, ?, 0, 0, ?, ?, ?, '192.0.2.7')`,
  );
  const content = db.prepare(`INSERT INTO delivery_contents (delivery, body, decisions) VALUES (?, ?, '[]')`);
  const bodies = ['info', 'error', 'fatal'].map((level) => {
    const body = { level, service: { name: 'api' }, text: 'x'.repeat(Math.max(0, bodyBytes - 60)) };
    return Buffer.from(JSON.stringify(body));
  });
  db.transaction(() => {
    for (let i = 0; i < deliveries; i++) {
      const at = Math.floor(nowMs - 7 * DAY_MS + ((i + 1) * 7 * DAY_MS) / (deliveries + 1));
      const body = bodies[i % 50 === 0 ? 2 : i % 2]!;
      const { lastInsertRowid } = delivery.run(`dlv_${randomUUID()}`, ref, randomUUID(), body.length, at);
      content.run(lastInsertRowid, body);
    }
  })();
  createDeliveryListing(db).catchUp();
  db.close();
}

function filterBy(level: string) {
  return new Map([[uid as `wh_${string}`, [{ level: [level] }]]]);
}

/** Writes an empty batch every few milliseconds. Its delay shows the cost of the backtest for senders. */
function watchBatches() {
  const durations: number[] = [];
  let isOver = false;
  const loop = (async () => {
    while (!isOver) {
      const sentMs = performance.now();
      await storage.deliveryLog.record([]);
      durations.push(performance.now() - sentMs);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await loop;
      return durations.sort((a, b) => a - b);
    },
  };
}

function readBare(count: number): number {
  const db = new Database(file, { readonly: true });
  const startMs = performance.now();
  for (const { body } of db.prepare('SELECT body FROM delivery_contents LIMIT ?').iterate(count) as Iterable<{
    body: Buffer;
  }>) {
    JSON.parse(body.toString('utf8'));
  }
  const passedMs = performance.now() - startMs;
  db.close();
  return passedMs;
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);
}

function print(name: string, text: string): void {
  process.stdout.write(`${name.padEnd(10)}${text}\n`);
}
