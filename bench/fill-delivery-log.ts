import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DELIVERY_LABELS, IDENTITY_SOURCES } from '../src/core/resources/delivery.ts';
import { createDeliveryListing } from '../src/storage/sqlite/delivery-listing.ts';

const ACCEPTED = DELIVERY_LABELS.indexOf('Accepted');
const DUPLICATE = DELIVERY_LABELS.indexOf('Duplicate');
const REJECTED = DELIVERY_LABELS.indexOf('Rejected (auth)');
const FROM_HEADER = IDENTITY_SOURCES.indexOf('service_header');

/** So rare that a filter without an index would read many rows. */
const REJECTED_EVERY = 1_000;
const DUPLICATE_EVERY = 50;
const RUN_EVERY = 10;

export interface Filling {
  deliveries: number;
  /** Age of the oldest delivery; the most recent is new. */
  spanMs: number;
  nowMs: number;
}

/**
 * Writes a log like that of the daemon, spread evenly over a period and over the existing webhooks. Written with SQL, because
 * only reading is measured. The delivery IDs are `event-0` and so on. No daemon may run on the folder during this.
 */
export function fillDeliveryLog(dataDir: string, { deliveries, spanMs, nowMs }: Filling): void {
  const db = new Database(join(dataDir, 'dockbell.db'));
  db.pragma('synchronous = OFF');
  const webhooks = db.prepare('SELECT ref FROM webhooks').pluck().all() as number[];
  const write = prepareWrites(db);
  db.transaction(() => {
    for (let i = 0; i < deliveries; i++) {
      const at = Math.floor(nowMs - spanMs + ((i + 1) * spanMs) / (deliveries + 1));
      write(i, at, webhooks[i % webhooks.length]!);
    }
  })();
  createDeliveryListing(db).catchUp();
  db.close();
}

function prepareWrites(db: Database.Database): (i: number, at: number, webhook: number) => void {
  const { version, name, factory } = db.prepare('SELECT version, name, factory FROM automation_versions').get() as {
    version: number;
    name: string;
    factory: string;
  };
  const delivery = db.prepare(
    `INSERT INTO deliveries (id, webhook, label, identity_source, identity, size, received_at, client_address)
     VALUES (?, ?, ?, ${FROM_HEADER}, ?, ?, ?, '192.0.2.7')`,
  );
  const content = db.prepare(`INSERT INTO delivery_contents (delivery, body, decisions) VALUES (?, ?, '[]')`);
  const claim = db.prepare(
    `INSERT INTO identities (webhook, source, key, delivery, body_hash, accepted_at)
     VALUES (?, ${FROM_HEADER}, ?, ?, zeroblob(32), ?)`,
  );
  const run = db.prepare(
    `INSERT INTO runs (id, factory, automation, version, delivery, delivery_id, delivery_identity, webhook, state, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'succeeded', ?)`,
  );
  return (i, at, webhook) => {
    const label = chooseLabel(i);
    const id = `dlv_${pad(i)}`;
    const body = Buffer.from(JSON.stringify({ number: i, level: 'error' }));
    const { lastInsertRowid: seq } = delivery.run(id, webhook, label, `event-${i}`, body.length, at);
    if (label !== ACCEPTED) return;
    content.run(seq, body);
    claim.run(webhook, `event-${i}`, id, at);
    if (i % RUN_EVERY === 1) run.run(`run_${pad(i)}`, factory, name, version, seq, id, `event-${i}`, webhook, at);
  };
}

/** Odd numbers as divisors, so that each webhook gets each label. */
function chooseLabel(i: number): number {
  if (i % (REJECTED_EVERY + 1) === 0) return REJECTED;
  return i % (DUPLICATE_EVERY + 1) === 0 ? DUPLICATE : ACCEPTED;
}

function pad(i: number): string {
  return String(i).padStart(26, '0');
}
