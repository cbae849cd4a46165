import { hash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { AppError, messageOf } from '../../core/errors.ts';
import type { Histogram } from '../../core/histogram.ts';
import type { DeliveryId, RunId } from '../../core/ids.ts';
import {
  type DeliveryLogEntry,
  type DeliveryOffer,
  type MatchRecord,
  type NewRun,
  NO_CLAIM,
  type RecordOutcome,
  type RejectionEntry,
  type ReplayEntry,
} from '../../core/resources/delivery.ts';
import type { RunGate } from '../../core/resources/run.ts';
import { normalizeLabels } from '../../core/worker-labels.ts';
import type { WriteMeasures } from '../../core/write-measures.ts';
import { mapColumns } from '../sql/schema/columns.ts';
import { CONTENTS, DELIVERIES, type DeliveryContent, type StoredDelivery } from '../sql/schema/tables.ts';
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
    findVersion: prepareNamed<{ version: number }, { version: number }>(
      db,
      'SELECT version FROM automation_versions WHERE version = @version',
    ),
  };
}

interface NewRunRow {
  id: RunId;
  factory: string;
  automation: string;
  version: number;
  /** `seq` of the row in `deliveries`. */
  delivery: number;
  deliveryId: DeliveryId;
  deliveryIdentity: string;
  webhook: number;
  revision: string | null;
  createdAt: number;
  traceContext: string | null;
  concurrencyKey: string | null;
  runsOn: string[] | null;
  gate: RunGate | null;
}

const NEW_RUNS = mapColumns<NewRunRow>()({
  id: 'text',
  factory: 'text',
  automation: 'text',
  version: 'integer',
  delivery: 'integer',
  deliveryId: 'text',
  deliveryIdentity: 'text',
  webhook: 'integer',
  revision: 'text',
  createdAt: 'instant',
  traceContext: 'text',
  concurrencyKey: 'text',
  runsOn: 'json',
  gate: 'text',
});

/** The delivery ID of a request that another row stands for. */
interface LimitedIdRow {
  /** `seq` of the row in `deliveries`. */
  delivery: number;
  identity: string;
}

const LIMITED_IDS = mapColumns<LimitedIdRow>()({ delivery: 'integer', identity: 'text' });

/** What differs between accepted deliveries, duplicates and rejections. */
type Result = Pick<StoredDelivery, 'label'> &
  Partial<Pick<StoredDelivery, 'reason' | 'detail' | 'count' | 'duplicateOf' | 'replayOf' | 'replay'>>;

type NewDeliveryRow = Parameters<typeof DELIVERIES.toValues>[0];

/** The rows of a batch, collected so that few statements insert them. Used inside one transaction. */
class BatchRows {
  readonly #statements: Statements;
  readonly #claims: IdentityClaims;
  readonly #firstDelivery: number;
  readonly #deliveries: NewDeliveryRow[] = [];
  readonly #contents: DeliveryContent[] = [];
  readonly #runs: NewRunRow[] = [];
  readonly #limitedIds: LimitedIdRow[] = [];
  readonly #factories = new Map<number, string>();
  readonly #versions = new Set<number>();

  constructor(statements: Statements, claims: IdentityClaims) {
    this.#statements = statements;
    this.#claims = claims;
    this.#firstDelivery = statements.newestDelivery.get({})!.seq + 1;
  }

  add(entry: DeliveryLogEntry): RecordOutcome {
    if (entry.kind === 'offer') return this.#addOffer(entry);
    // Only the original claims the identity. The row of a replay shows it.
    return entry.kind === 'replay' ? this.#accept(entry, entry) : this.#addRejection(entry);
  }

  write(): void {
    const { insertDeliveries, insertContents, insertRuns, insertLimitedIds } = this.#statements;
    insertDeliveries(this.#deliveries, this.#firstDelivery);
    insertContents(this.#contents);
    insertRuns(this.#runs);
    insertLimitedIds(this.#limitedIds);
  }

  #addOffer(offer: DeliveryOffer): RecordOutcome {
    const { webhook, id, identity } = offer;
    if (identity.key === NO_CLAIM) return this.#accept(offer, null);
    const claim = { webhook, source: identity.source, key: identity.key, delivery: id };
    const earlier = this.#claims.claim(claim, this.#nextDelivery());
    if (earlier === null) return this.#accept(offer, null);
    const reason = this.#hasBody(earlier, offer.body) ? 'same_identity' : 'same_identity_other_body';
    this.#addDelivery(offer, { label: 'Duplicate', reason, duplicateOf: earlier.delivery });
    return { label: 'Duplicate', of: earlier.delivery, reason };
  }

  /** Detects a repeated identity with another body (threat model N9). */
  #hasBody(earlier: EarlierDelivery, body: Uint8Array): boolean {
    if ('bodyHash' in earlier) return Buffer.compare(earlier.bodyHash, hash('sha256', body, 'buffer')) === 0;
    const delivery = earlier.logged;
    const added = this.#contents.find((content) => content.delivery === delivery);
    return Buffer.compare((added ?? this.#statements.findBody.get({ delivery })!).body, body) === 0;
  }

  #accept(offer: DeliveryOffer | ReplayEntry, of: Pick<ReplayEntry, 'replayOf' | 'replay'> | null): RecordOutcome {
    const reason = offer.kind === 'offer' ? (offer.backfill ?? null) : null;
    const { replayOf = null, replay = null } = of ?? {};
    const delivery = this.#addDelivery(offer, { label: 'Accepted', reason, replayOf, replay });
    this.#contents.push({ delivery, body: offer.body, form: offer.form, decisions: toMatchRecord(offer) });
    for (const run of offer.runs) {
      this.#runs.push({
        id: run.id,
        factory: this.#findFactory(offer.webhook),
        automation: run.automation,
        version: this.#requireVersion(run),
        delivery,
        deliveryId: offer.id,
        deliveryIdentity: offer.identity.value,
        webhook: offer.webhook,
        revision: offer.revision,
        createdAt: offer.receivedAt,
        traceContext: run.traceContext ?? null,
        concurrencyKey: run.concurrencyKey ?? null,
        runsOn: normalizeLabels(run.runsOn),
        gate: run.concurrencyKey === undefined ? null : 'arrived',
      });
    }
    return { label: 'Accepted' };
  }

  #addRejection(entry: RejectionEntry): RecordOutcome {
    const { label, reason, detail, count, deliveryIds = [] } = entry;
    const delivery = this.#addDelivery(entry, { label, reason, detail, count });
    for (const identity of deliveryIds) this.#limitedIds.push({ delivery, identity });
    return { label };
  }

  /** Returns the number of the row. */
  #addDelivery(entry: DeliveryLogEntry, result: Result): number {
    this.#deliveries.push({
      id: entry.id,
      webhook: entry.webhook,
      label: result.label,
      reason: result.reason ?? null,
      detail: result.detail ?? null,
      deliveryId: entry.identity?.value ?? null,
      deliveryIdSource: entry.identity?.source ?? null,
      event: entry.kind === 'rejection' ? null : entry.event,
      summary: entry.kind === 'rejection' ? null : entry.summary,
      headers: entry.headers,
      identityKey: result.label === 'Accepted' ? readKey(entry) : null,
      size: entry.size,
      count: result.count ?? 1,
      receivedAt: entry.receivedAt,
      clientAddress: entry.clientAddress,
      revision: entry.revision,
      duplicateOf: result.duplicateOf ?? null,
      replayOf: result.replayOf ?? null,
      replay: result.replay ?? null,
    });
    return this.#nextDelivery() - 1;
  }

  #nextDelivery(): number {
    return this.#firstDelivery + this.#deliveries.length;
  }

  #findFactory(webhook: number): string {
    const known = this.#factories.get(webhook) ?? this.#statements.findFactory.get({ webhook })?.factory;
    if (known === undefined) throw new Error(`webhook ${webhook} is not stored`);
    this.#factories.set(webhook, known);
    return known;
  }

  /** Accepting the delivery without its run would lose the run after a `202`. */
  #requireVersion({ version, automation }: NewRun): number {
    if (this.#versions.has(version)) return version;
    if (this.#statements.findVersion.get({ version }) === undefined)
      throw new Error(`version ${version} of automation ${automation} is not stored`);
    this.#versions.add(version);
    return version;
  }
}

/** `null` if the key is the delivery ID. */
function readKey(entry: DeliveryLogEntry): string | null {
  return entry.kind === 'offer' && entry.identity.key !== entry.identity.value ? entry.identity.key : null;
}

function toMatchRecord(offer: DeliveryOffer | ReplayEntry): MatchRecord {
  const { applyNumber, runs } = offer;
  const only = offer.kind === 'replay' ? offer.only : null;
  return { applyNumber, only, started: runs.map(({ automation, id }) => ({ automation, run: id })) };
}
