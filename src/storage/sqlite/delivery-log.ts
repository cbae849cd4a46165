import { hash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { AppError, messageOf } from '../../domain/errors.ts';
import {
  type DeliveryLogEntry,
  type DeliveryOffer,
  type NewRun,
  NO_CLAIM,
  type RecordOutcome,
  type RejectionEntry,
} from '../../domain/resources/delivery.ts';
import type { Histogram } from '../../domain/telemetry/histogram.ts';
import type { WriteMeasures } from '../../domain/telemetry/write-measures.ts';
import { listClaims } from '../sql/deliveries/claimed-identity.ts';
import {
  type AcceptableEntry,
  type AdmittedRuns,
  composeContent,
  composeDelivery,
  composeRun,
  LIMITED_IDS,
  type LimitedIdRow,
  NEW_RUNS,
  type NewDeliveryRow,
  type NewRunRow,
  outcomeOfAccepted,
  type Result,
  rejectUnknownVersion,
  rejectUnknownWebhook,
  resultOfAccepted,
  resultOfDuplicate,
  resultOfRejection,
} from '../sql/deliveries/delivery-rows.ts';
import { type GuardedRow, type GuardKey, LoopGuard, SUM_OF_GUARDED } from '../sql/deliveries/loop-guard.ts';
import { CONTENTS, DELIVERIES, type DeliveryContent } from '../sql/schema/tables.ts';
import type { DeliveryListing } from './delivery-listing.ts';
import { toStorageError } from './disk/storage-error.ts';
import type { EarlierDelivery, IdentityClaims } from './identities/identity-claims.ts';
import { prepareInsertMany, prepareNamed } from './statement.ts';

/**
 * Writes one batch as one transaction with one fsync.
 *
 * @param also writes more in the same transaction, after the batch
 */
export type RecordBatch = (
  batch: readonly DeliveryLogEntry[],
  also?: (outcomes: readonly RecordOutcome[]) => void,
) => RecordOutcome[];

/** Prepares the statements of the hot path. `claims` decides inside the transaction whether a delivery is new. */
export function prepareRecordBatch(
  db: Database.Database,
  claims: IdentityClaims,
  listing: DeliveryListing,
  measures: WriteMeasures,
): RecordBatch {
  const statements = prepareStatements(db);
  const recordAll = (batch: readonly DeliveryLogEntry[]) => {
    const rows = new BatchRows(statements, claims);
    const outcomes = batch.map((entry) => rows.add(entry));
    rows.write();
    return outcomes;
  };
  const recordTogether = commitListed(db, listing, measures.commitSeconds, recordAll);
  const recordEach = commitListed(db, listing, measures.commitSeconds, prepareRecordEach(db, claims, recordAll));
  const attempt = (record: RecordBatch, ...[batch, also]: Parameters<RecordBatch>) => {
    try {
      const outcomes = record(batch, also);
      claims.keep();
      return outcomes;
    } catch (error) {
      claims.undo();
      throw error;
    }
  };
  return (batch, also) => {
    if (batch.length > 0) measures.batchSize.observe(batch.length);
    try {
      return attempt(recordTogether, batch, also);
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      return attempt(recordEach, batch, also);
    }
  };
}

function commitListed(
  db: Database.Database,
  listing: DeliveryListing,
  commitSeconds: Histogram,
  record: RecordBatch,
): RecordBatch {
  let commitsSince = 0;
  const transact = db.transaction((...[batch, also]: Parameters<RecordBatch>) => {
    const outcomes = record(batch);
    also?.(outcomes);
    listing.extendIfDue();
    commitsSince = performance.now();
    return outcomes;
  }).immediate;
  return (batch, also) => {
    const outcomes = transact(batch, also);
    commitSeconds.observe((performance.now() - commitsSince) / 1000);
    return outcomes;
  };
}

/**
 * Records a batch with a savepoint around each entry. An entry that violates the schema must not make the other entries
 * fail (threat model D11).
 */
function prepareRecordEach(db: Database.Database, claims: IdentityClaims, recordAll: RecordBatch): RecordBatch {
  const recordInside = db.transaction(recordAll);
  const recordSafely = (entry: DeliveryLogEntry): RecordOutcome => {
    const mark = claims.mark();
    try {
      return recordInside([entry])[0]!;
    } catch (error) {
      claims.undo(mark);
      if (isStorageFailure(error)) throw error;
      return { label: null, message: messageOf(error) };
    }
  };
  return (batch) => batch.map(recordSafely);
}

function isStorageFailure(error: unknown): boolean {
  const translated = toStorageError(error);
  return translated instanceof AppError && translated.code !== 'internal';
}

/** The condition is that of the index `runs_by_subject`. */
const COUNT_RUNS = `
  SELECT count(*) AS count FROM (
    SELECT 1 FROM runs WHERE factory = @factory AND automation = @automation AND subject = @subject AND created_at > @since
      AND (state <> 'cancelled' OR started_at IS NOT NULL) LIMIT @limit
  )`;

const NOTE_GUARDED = `
  INSERT INTO loop_guards (factory, automation, subject, deliveries, last_at)
  VALUES (@factory, @automation, @subject, @deliveries, @last_at)
  ON CONFLICT (factory, automation, subject) DO UPDATE
    SET deliveries = ${SUM_OF_GUARDED}, last_at = excluded.last_at`;

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(db: Database.Database) {
  return {
    newestDelivery: prepareNamed<object, { seq: number }>(db, 'SELECT coalesce(max(seq), 0) AS seq FROM deliveries'),
    insertDeliveries: prepareInsertMany(db, 'deliveries', DELIVERIES, 'seq'),
    insertContents: prepareInsertMany(db, 'delivery_contents', CONTENTS),
    insertRuns: prepareInsertMany(db, 'runs', NEW_RUNS),
    insertLimitedIds: prepareInsertMany(db, 'limited_delivery_ids', LIMITED_IDS),
    findBody: prepareNamed<{ delivery: number }, { body: Uint8Array }>(
      db,
      'SELECT body FROM delivery_contents WHERE delivery = @delivery',
    ),
    findFactory: prepareNamed<{ webhook: number }, { factory: string }>(
      db,
      'SELECT factory FROM webhooks WHERE ref = @webhook',
    ),
    countRuns: prepareNamed<GuardKey, { count: number }>(db, COUNT_RUNS),
    noteGuarded: prepareNamed<GuardedRow>(db, NOTE_GUARDED),
    findVersion: prepareNamed<{ version: number }, { version: number }>(
      db,
      'SELECT version FROM automation_versions WHERE version = @version',
    ),
  };
}

const NO_RUNS: AdmittedRuns = { runs: [], guarded: [] };

/** The rows of a batch, collected so that few statements insert them. Used inside one transaction. */
class BatchRows {
  readonly #statements: Statements;
  readonly #claims: IdentityClaims;
  readonly #firstDelivery: number;
  readonly #deliveries: NewDeliveryRow[] = [];
  readonly #contents: DeliveryContent[] = [];
  readonly #runs: NewRunRow[] = [];
  readonly #limitedIds: LimitedIdRow[] = [];
  readonly #guard: LoopGuard;
  readonly #factories = new Map<number, string>();
  readonly #versions = new Set<number>();

  constructor(statements: Statements, claims: IdentityClaims) {
    this.#statements = statements;
    this.#claims = claims;
    this.#firstDelivery = statements.newestDelivery.get({})!.seq + 1;
    this.#guard = new LoopGuard((key) => statements.countRuns.get(key)!.count);
  }

  add(entry: DeliveryLogEntry): RecordOutcome {
    if (entry.kind === 'offer') return this.#addOffer(entry);
    // Only the original claims the identity. The row of a replay shows it.
    return entry.kind === 'replay' ? this.#accept(entry) : this.#addRejection(entry);
  }

  write(): void {
    const { insertDeliveries, insertContents, insertRuns, insertLimitedIds, noteGuarded } = this.#statements;
    insertDeliveries(this.#deliveries, this.#firstDelivery);
    insertContents(this.#contents);
    insertRuns(this.#runs);
    insertLimitedIds(this.#limitedIds);
    for (const row of this.#guard.rows) noteGuarded.run(row);
  }

  #addOffer(offer: DeliveryOffer): RecordOutcome {
    const { id, identity } = offer;
    if (identity.key === NO_CLAIM) return this.#accept(offer);
    const earlier = this.#claims.claim(listClaims(offer), id, this.#nextDelivery());
    if (earlier === null) return this.#accept(offer);
    const reason = this.#hasBody(earlier, offer.body) ? 'same_identity' : 'same_identity_other_body';
    const duplicate = { of: earlier.delivery, reason, by: earlier.by } as const;
    this.#addDelivery(offer, resultOfDuplicate(offer, duplicate));
    return { label: 'Duplicate', of: duplicate.of, reason };
  }

  /** Detects a repeated identity with another body (threat model N9). */
  #hasBody(earlier: EarlierDelivery, body: Uint8Array): boolean {
    if ('bodyHash' in earlier) return Buffer.compare(earlier.bodyHash, hash('sha256', body, 'buffer')) === 0;
    const delivery = earlier.logged;
    const added = this.#contents.find((content) => content.delivery === delivery);
    return Buffer.compare((added ?? this.#statements.findBody.get({ delivery })!).body, body) === 0;
  }

  #accept(entry: AcceptableEntry): RecordOutcome {
    const delivery = this.#addDelivery(entry, resultOfAccepted(entry));
    const admitted = entry.runs.length === 0 ? NO_RUNS : this.#guard.admit(entry, this.#findFactory(entry.webhook));
    this.#contents.push(composeContent(entry, delivery, admitted));
    for (const run of admitted.runs) {
      this.#requireVersion(run);
      this.#runs.push(composeRun(entry, run, this.#findFactory(entry.webhook), delivery));
    }
    return outcomeOfAccepted(admitted.guarded);
  }

  #addRejection(entry: RejectionEntry): RecordOutcome {
    const { label, deliveryIds = [] } = entry;
    const delivery = this.#addDelivery(entry, resultOfRejection(entry));
    for (const identity of deliveryIds) this.#limitedIds.push({ delivery, identity });
    return { label };
  }

  /** Returns the number of the row. */
  #addDelivery(entry: DeliveryLogEntry, result: Result): number {
    this.#deliveries.push(composeDelivery(entry, result));
    return this.#nextDelivery() - 1;
  }

  #nextDelivery(): number {
    return this.#firstDelivery + this.#deliveries.length;
  }

  #findFactory(webhook: number): string {
    const known = this.#factories.get(webhook) ?? this.#statements.findFactory.get({ webhook })?.factory;
    if (known === undefined) rejectUnknownWebhook(webhook);
    this.#factories.set(webhook, known);
    return known;
  }

  #requireVersion(run: NewRun): void {
    const { version } = run;
    if (this.#versions.has(version)) return;
    if (this.#statements.findVersion.get({ version }) === undefined) rejectUnknownVersion(run);
    this.#versions.add(version);
  }
}
