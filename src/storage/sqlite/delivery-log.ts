import type Database from 'better-sqlite3';
import {
  DELIVERY_LABELS,
  type DeliveryLogEntry,
  type DeliveryOffer,
  IDENTITY_SOURCES,
  type RecordOutcome,
  type RejectionEntry,
  type ReplayEntry,
} from '../../core/delivery.ts';
import { AppError, messageOf } from '../../core/errors.ts';
import type { DeliveryId } from '../../core/ids.ts';
import { HOUR_MS } from '../../core/ports/deliveries/activity-reader.ts';
import { encodeDecisions } from '../sql/deliveries/decisions-column.ts';
import { toStorageError } from './disk/storage-error.ts';

const LABEL_ACCEPTED = DELIVERY_LABELS.indexOf('Accepted');
const LABEL_DUPLICATE = DELIVERY_LABELS.indexOf('Duplicate');

/** Writes one batch as one transaction with one fsync. */
export type RecordBatch = (batch: readonly DeliveryLogEntry[]) => RecordOutcome[];

/**
 * Prepares the statements of the hot path. Whether a delivery is new is decided by the unique index on
 * (webhook, source, key) inside the transaction, never by looking first (threat model D6).
 */
export function prepareRecordBatch(db: Database.Database): RecordBatch {
  const statements = prepareStatements(db);
  const recordEntry = (entry: DeliveryLogEntry): RecordOutcome => {
    if (entry.kind === 'offer') return recordOffer(statements, entry);
    // The identity of a replay is in its log row, and claimed by the original alone.
    return entry.kind === 'replay' ? accept(statements, entry, entry.replayOf) : recordRejection(statements, entry);
  };
  const recordAll = db.transaction((batch: readonly DeliveryLogEntry[]) =>
    countBatch(statements, batch, batch.map(recordEntry)),
  ).immediate;
  const recordEach = prepareRecordEach(db, statements, recordEntry);
  return (batch) => {
    try {
      return recordAll(batch);
    } catch (error) {
      if (isStorageTrouble(error)) throw error;
      return recordEach(batch);
    }
  };
}

/**
 * The same batch, still one transaction with one fsync, but with a savepoint around each entry: one that the schema
 * refuses must not take its neighbours' answers with it (threat model D11).
 */
function prepareRecordEach(
  db: Database.Database,
  statements: Statements,
  recordEntry: (entry: DeliveryLogEntry) => RecordOutcome,
) {
  const recordInside = db.transaction(recordEntry);
  const recordAlone = (entry: DeliveryLogEntry): RecordOutcome => {
    try {
      return recordInside(entry);
    } catch (error) {
      if (isStorageTrouble(error)) throw error;
      return { outcome: 'failed', message: messageOf(error) };
    }
  };
  return db.transaction((batch: readonly DeliveryLogEntry[]) => countBatch(statements, batch, batch.map(recordAlone)))
    .immediate;
}

function isStorageTrouble(error: unknown): boolean {
  const told = toStorageError(error);
  return told instanceof AppError && told.code !== 'internal';
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(db: Database.Database) {
  return {
    claimIdentity: db.prepare<[number, number, string, string, Uint8Array, number]>(
      'INSERT INTO identities (webhook, source, key, delivery, body_hash, accepted_at) VALUES (?, ?, ?, ?, ?, ?) ' +
        'ON CONFLICT DO NOTHING',
    ),
    findIdentity: db.prepare<[number, number, string], { delivery: DeliveryId; body_hash: Buffer }>(
      'SELECT delivery, body_hash FROM identities WHERE webhook = ? AND source = ? AND key = ?',
    ),
    insertDelivery: db.prepare(
      'INSERT INTO deliveries (id, webhook, label, reason, detail, identity_source, identity, size, count, ' +
        'received_at, client_address, revision, duplicate_of, replay_of) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    insertContents: db.prepare<[number | bigint, Uint8Array, string]>(
      'INSERT INTO delivery_contents (delivery, body, decisions) VALUES (?, ?, ?)',
    ),
    count: db.prepare<[number, number, number, number]>(
      'INSERT INTO delivery_counts (webhook, hour, label, count) VALUES (?, ?, ?, ?) ' +
        'ON CONFLICT DO UPDATE SET count = count + excluded.count',
    ),
    insertRun: db.prepare(
      'INSERT INTO runs (id, factory, automation, version, delivery, delivery_id, delivery_identity, webhook, ' +
        'revision, created_at) SELECT ?, webhooks.factory, ?, automation_versions.version, ?, ?, ?, ref, ?, ? ' +
        'FROM webhooks, automation_versions WHERE ref = ? AND automation_versions.version = ?',
    ),
  };
}

function recordOffer(statements: Statements, offer: DeliveryOffer): RecordOutcome {
  const source = IDENTITY_SOURCES.indexOf(offer.identity.source);
  const claimed = statements.claimIdentity.run(
    offer.webhook,
    source,
    offer.identity.key,
    offer.id,
    offer.bodyHash,
    offer.receivedAt,
  );
  return claimed.changes === 1 ? accept(statements, offer, null) : recordDuplicate(statements, offer, source);
}

function accept(
  statements: Statements,
  offer: DeliveryOffer | ReplayEntry,
  replayOf: DeliveryId | null,
): RecordOutcome {
  const source = IDENTITY_SOURCES.indexOf(offer.identity.source);
  const { lastInsertRowid: seq } = statements.insertDelivery.run(
    ...[offer.id, offer.webhook, LABEL_ACCEPTED, null, null, source, offer.identity.value, offer.size, 1],
    ...[offer.receivedAt, offer.clientAddress, offer.revision, null, replayOf],
  );
  statements.insertContents.run(seq, offer.body, encodeDecisions(offer));
  for (const run of offer.runs) {
    const born = statements.insertRun.run(
      ...[run.id, run.automation, seq, offer.id, offer.identity.value, offer.revision, offer.receivedAt],
      ...[offer.webhook, run.version],
    );
    // A delivery accepted without its run would be a lost run behind a 202.
    if (born.changes !== 1) throw new Error(`version ${run.version} of automation ${run.automation} is not stored`);
  }
  return { outcome: 'accepted' };
}

function recordDuplicate(statements: Statements, offer: DeliveryOffer, source: number): RecordOutcome {
  const earlier = statements.findIdentity.get(offer.webhook, source, offer.identity.key)!;
  const reason = earlier.body_hash.equals(offer.bodyHash) ? 'same_identity' : 'same_identity_other_body';
  statements.insertDelivery.run(
    ...[offer.id, offer.webhook, LABEL_DUPLICATE, reason, null, source, offer.identity.value, offer.size, 1],
    ...[offer.receivedAt, offer.clientAddress, offer.revision, earlier.delivery, null],
  );
  return { outcome: 'duplicate', of: earlier.delivery, reason };
}

function recordRejection(statements: Statements, entry: RejectionEntry): RecordOutcome {
  const source = entry.identity === null ? null : IDENTITY_SOURCES.indexOf(entry.identity.source);
  statements.insertDelivery.run(
    ...[entry.id, entry.webhook, DELIVERY_LABELS.indexOf(entry.label), entry.reason, entry.detail, source],
    ...[entry.identity?.value ?? null, entry.size, entry.count, entry.receivedAt, entry.clientAddress],
    ...[entry.revision, null, null],
  );
  return { outcome: 'logged' };
}

/** Adds what a batch holds to the counts of its hours: one write for each webhook and label, however many arrived. */
function countBatch(
  statements: Statements,
  batch: readonly DeliveryLogEntry[],
  outcomes: RecordOutcome[],
): RecordOutcome[] {
  const counts = new Map<string, [webhook: number, hour: number, label: number, count: number]>();
  batch.forEach((entry, index) => {
    const label = labelOf(entry, outcomes[index]!);
    if (label === null) return;
    const hour = Math.floor(entry.receivedAt / HOUR_MS);
    const key = `${entry.webhook} ${hour} ${label}`;
    const counted = counts.get(key) ?? [entry.webhook, hour, label, 0];
    counted[3] += entry.kind === 'rejection' ? entry.count : 1;
    counts.set(key, counted);
  });
  for (const counted of counts.values()) statements.count.run(...counted);
  return outcomes;
}

/** `null` for what did not arrive: a replay, and an entry that could not be written. */
function labelOf(entry: DeliveryLogEntry, { outcome }: RecordOutcome): number | null {
  if (outcome === 'failed' || entry.kind === 'replay') return null;
  if (entry.kind === 'rejection') return DELIVERY_LABELS.indexOf(entry.label);
  return outcome === 'accepted' ? LABEL_ACCEPTED : LABEL_DUPLICATE;
}
