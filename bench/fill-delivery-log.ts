import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createIdSource } from '../src/domain/ids.ts';
import type { DeliveryLogEntry, DeliveryOffer, RejectionEntry } from '../src/domain/resources/delivery.ts';
import { startStorage } from '../src/storage/thread/start-storage.ts';

/** So rare that a filter without an index would read many rows. */
const REJECTED_EVERY = 1_001;
const DUPLICATE_EVERY = 51;
const RUN_EVERY = 10;
const BATCH = 2_000;
const WORKER = new URL('../dist/storage/sqlite/thread/worker.js', import.meta.url);

export interface Filling {
  deliveries: number;
  /** Age of the oldest delivery; the most recent is new. */
  spanMs: number;
  nowMs: number;
  /** `mixed`: also duplicates, rejections and runs. */
  kind: 'accepted' | 'mixed';
  /** The body of the delivery with this number. */
  composeBody?: (i: number) => string;
}

/**
 * Writes a log like that of the daemon, spread evenly over a period and over the existing webhooks. It is written by the
 * storage itself in large batches, so the rows are those of the real path. The delivery IDs are `event-0` and so on. No
 * daemon may run on the folder during this.
 */
export async function fillDeliveryLog(dataDir: string, filling: Filling): Promise<void> {
  const { deliveries, spanMs, nowMs } = filling;
  const file = join(dataDir, 'dockbell.db');
  const compose = prepareEntries(file, filling);
  const { storage, close } = await startStorage(WORKER, { file });
  for (let first = 0; first < deliveries; first += BATCH) {
    const length = Math.min(BATCH, deliveries - first);
    const batch = Array.from({ length }, (_, i) => {
      const number = first + i;
      return compose(number, Math.floor(nowMs - spanMs + ((number + 1) * spanMs) / (deliveries + 1)));
    });
    const outcomes = await storage.deliveryLog.record(batch);
    const failed = outcomes.find(({ label }) => label === null);
    if (failed !== undefined) throw new Error(`a delivery was not written: ${JSON.stringify(failed)}`);
  }
  await close();
  if (filling.kind === 'mixed') endRuns(file);
}

/** Nothing executes them. Written with SQL, because their ends are not what is measured. */
function endRuns(file: string): void {
  const db = new Database(file);
  db.prepare("UPDATE runs SET state = 'succeeded', started_at = created_at, finished_at = created_at").run();
  db.close();
}

type ComposeEntry = (i: number, at: number) => DeliveryLogEntry;

function prepareEntries(file: string, { kind, composeBody = composeSmallBody }: Filling): ComposeEntry {
  const { webhooks, automation } = readDefinition(file);
  const ids = createIdSource(randomBytes);
  return (i, at) => {
    const webhook = webhooks[i % webhooks.length]!;
    const common = { ...COMMON, id: ids.deliveryId(at), webhook, receivedAt: at };
    if (kind === 'mixed' && i % REJECTED_EVERY === 0) return reject(common, i);
    // A duplicate has the identity of an earlier delivery of the same webhook.
    const original = kind === 'mixed' && i % DUPLICATE_EVERY === 0 ? i - webhooks.length : i;
    const key = `event-${Math.max(0, original)}`;
    const body = Buffer.from(composeBody(i));
    const starts = kind === 'mixed' && i % RUN_EVERY === 1 && automation !== null;
    const offer: DeliveryOffer = {
      kind: 'offer',
      ...common,
      size: body.length,
      form: null,
      event: null,
      summary: null,
      identity: { source: 'service_header', value: key, key },
      body: new Uint8Array(body),
      applyNumber: 1,
      runs: starts ? [{ id: ids.runId(at), automation: automation.name, version: automation.version }] : [],
    };
    return offer;
  };
}

const COMMON = {
  clientAddress: '192.0.2.7',
  headers: JSON.stringify({ 'user-agent': 'ci-server/2.1', 'content-type': 'application/json' }),
  revision: null,
};

function reject(common: Pick<RejectionEntry, 'id' | 'webhook' | 'receivedAt' | keyof typeof COMMON>, i: number) {
  const entry: RejectionEntry = {
    ...common,
    kind: 'rejection',
    size: 12,
    label: 'Rejected (auth)',
    reason: 'bad_credential',
    detail: null,
    identity: { source: 'service_header', value: `event-${i}` },
    count: 1,
  };
  return entry;
}

function composeSmallBody(i: number): string {
  return JSON.stringify({ number: i, level: 'error' });
}

/** The webhooks, and an automation whose runs can be stored. */
function readDefinition(file: string) {
  const db = new Database(file, { readonly: true });
  try {
    const webhooks = db.prepare<[], { ref: number }>('SELECT ref FROM webhooks').all();
    const automation = db
      .prepare<[], { version: number; name: string }>('SELECT version, name FROM automation_versions LIMIT 1')
      .get();
    return { webhooks: webhooks.map(({ ref }) => ref), automation: automation ?? null };
  } finally {
    db.close();
  }
}
