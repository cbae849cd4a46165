import type Database from 'better-sqlite3';
import { AppError, messageOf } from '../../core/errors.ts';
import type { DeliveryId, RunId } from '../../core/ids.ts';
import { HOUR_MS } from '../../core/ports/deliveries/activity-reader.ts';
import type {
  DeliveryLogEntry,
  DeliveryOffer,
  RecordOutcome,
  RejectionEntry,
  ReplayEntry,
} from '../../core/resources/delivery.ts';
import { CONTENTS, DELIVERIES, IDENTITIES, type StoredDelivery } from '../sql/schema/tables.ts';
import { toStorageError } from './disk/storage-error.ts';
import { prepareInsert, prepareNamed } from './statement.ts';

/** Writes one batch as one transaction with one fsync. */
export type RecordBatch = (batch: readonly DeliveryLogEntry[]) => RecordOutcome[];

/**
 * Prepares the statements of the hot path. The unique index on (webhook, source, key) decides inside the transaction
 * whether a delivery is new. A query beforehand could miss a concurrent delivery (threat model D6).
 */
export function prepareRecordBatch(db: Database.Database): RecordBatch {
  const statements = prepareStatements(db);
  const recordEntry = (entry: DeliveryLogEntry): RecordOutcome => {
    if (entry.kind === 'offer') return recordOffer(statements, entry);
    // Only the original claims the identity. The row of a replay shows it.
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
      if (isStorageFailure(error)) throw error;
      return recordEach(batch);
    }
  };
}

/**
 * Records a batch with a savepoint around each entry, still in one transaction with one fsync. An entry that violates
 * the schema must not make the other entries fail (threat model D11).
 */
function prepareRecordEach(
  db: Database.Database,
  statements: Statements,
  recordEntry: (entry: DeliveryLogEntry) => RecordOutcome,
) {
  const recordInside = db.transaction(recordEntry);
  const recordSafely = (entry: DeliveryLogEntry): RecordOutcome => {
    try {
      return recordInside(entry);
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      return { label: null, message: messageOf(error) };
    }
  };
  return db.transaction((batch: readonly DeliveryLogEntry[]) => countBatch(statements, batch, batch.map(recordSafely)))
    .immediate;
}

function isStorageFailure(error: unknown): boolean {
  const translated = toStorageError(error);
  return translated instanceof AppError && translated.code !== 'internal';
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(db: Database.Database) {
  return {
    claimIdentity: prepareInsert(db, 'identities', IDENTITIES, 'ON CONFLICT DO NOTHING'),
    findIdentity: prepareNamed<
      { webhook: number; source: number; key: string },
      { delivery: DeliveryId; body_hash: Buffer }
    >(db, 'SELECT delivery, body_hash FROM identities WHERE webhook = @webhook AND source = @source AND key = @key'),
    insertDelivery: prepareInsert(db, 'deliveries', DELIVERIES),
    insertContent: prepareInsert(db, 'delivery_contents', CONTENTS),
    count: prepareNamed<Count>(
      db,
      'INSERT INTO delivery_counts (webhook, hour, label, count) VALUES (@webhook, @hour, @label, @count) ' +
        'ON CONFLICT DO UPDATE SET count = count + excluded.count',
    ),
    insertRun: prepareNamed<NewRunRow>(
      db,
      'INSERT INTO runs (id, factory, automation, version, delivery, delivery_id, delivery_identity, webhook, ' +
        'revision, created_at) SELECT @id, webhooks.factory, @automation, automation_versions.version, @delivery, ' +
        '@deliveryId, @deliveryIdentity, ref, @revision, @createdAt FROM webhooks, automation_versions ' +
        'WHERE ref = @webhook AND automation_versions.version = @version',
    ),
  };
}

/** A row of `delivery_counts`. */
interface Count {
  webhook: number;
  hour: number;
  label: number;
  count: number;
}

/** The factory of the run comes from the row of the webhook. */
interface NewRunRow {
  id: RunId;
  automation: string;
  version: number;
  /** `seq` of the row in `deliveries`. */
  delivery: number;
  deliveryId: DeliveryId;
  deliveryIdentity: string;
  webhook: number;
  revision: string | null;
  createdAt: number;
}

function recordOffer(statements: Statements, offer: DeliveryOffer): RecordOutcome {
  const claimed = statements.claimIdentity({
    webhook: offer.webhook,
    source: offer.identity.source,
    key: offer.identity.key,
    delivery: offer.id,
    bodyHash: offer.bodyHash,
    acceptedAt: offer.receivedAt,
  });
  return claimed.changes === 1 ? accept(statements, offer, null) : recordDuplicate(statements, offer);
}

function accept(
  statements: Statements,
  offer: DeliveryOffer | ReplayEntry,
  replayOf: DeliveryId | null,
): RecordOutcome {
  const delivery = insertDelivery(statements, offer, { label: 'Accepted', replayOf });
  statements.insertContent({ delivery, body: offer.body, decisions: offer });
  for (const run of offer.runs) {
    const inserted = statements.insertRun.run({
      id: run.id,
      automation: run.automation,
      version: run.version,
      delivery,
      deliveryId: offer.id,
      deliveryIdentity: offer.identity.value,
      webhook: offer.webhook,
      revision: offer.revision,
      createdAt: offer.receivedAt,
    });
    // Accepting the delivery without its run would lose the run after a 202.
    if (inserted.changes !== 1) throw new Error(`version ${run.version} of automation ${run.automation} is not stored`);
  }
  return { label: 'Accepted' };
}

function recordDuplicate(statements: Statements, offer: DeliveryOffer): RecordOutcome {
  const { source, key } = offer.identity;
  const earlier = statements.findIdentity.get({
    webhook: offer.webhook,
    source: IDENTITIES.encode('source', source),
    key,
  })!;
  const reason = earlier.body_hash.equals(offer.bodyHash) ? 'same_identity' : 'same_identity_other_body';
  insertDelivery(statements, offer, { label: 'Duplicate', reason, duplicateOf: earlier.delivery });
  return { label: 'Duplicate', of: earlier.delivery, reason };
}

function recordRejection(statements: Statements, entry: RejectionEntry): RecordOutcome {
  const { label, reason, detail, count } = entry;
  insertDelivery(statements, entry, { label, reason, detail, count });
  return { label };
}

/** What differs between accepted deliveries, duplicates and rejections. */
type Result = Pick<StoredDelivery, 'label'> &
  Partial<Pick<StoredDelivery, 'reason' | 'detail' | 'count' | 'duplicateOf' | 'replayOf'>>;

/** Returns the number of the row. */
function insertDelivery(statements: Statements, entry: DeliveryLogEntry, result: Result): number {
  const { lastInsertRowid } = statements.insertDelivery({
    id: entry.id,
    webhook: entry.webhook,
    label: result.label,
    reason: result.reason ?? null,
    detail: result.detail ?? null,
    deliveryId: entry.identity?.value ?? null,
    deliveryIdSource: entry.identity?.source ?? null,
    size: entry.size,
    count: result.count ?? 1,
    receivedAt: entry.receivedAt,
    clientAddress: entry.clientAddress,
    revision: entry.revision,
    duplicateOf: result.duplicateOf ?? null,
    replayOf: result.replayOf ?? null,
  });
  return Number(lastInsertRowid);
}

/** Adds a batch to the hourly counts, with one write per webhook, hour and label. */
function countBatch(
  statements: Statements,
  batch: readonly DeliveryLogEntry[],
  outcomes: RecordOutcome[],
): RecordOutcome[] {
  const counts = new Map<string, Count>();
  batch.forEach((entry, index) => {
    const counted = outcomes[index]!.label;
    // A replay did not arrive, and a failed entry was not written.
    if (counted === null || entry.kind === 'replay') return;
    const label = DELIVERIES.encode('label', counted);
    const hour = Math.floor(entry.receivedAt / HOUR_MS);
    const key = `${entry.webhook} ${hour} ${label}`;
    const sum = counts.get(key) ?? { webhook: entry.webhook, hour, label, count: 0 };
    sum.count += entry.kind === 'rejection' ? entry.count : 1;
    counts.set(key, sum);
  });
  for (const counted of counts.values()) statements.count.run(counted);
  return outcomes;
}
