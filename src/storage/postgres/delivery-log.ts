import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { AppError, messageOf } from '../../domain/errors.ts';
import type { DeliveryId } from '../../domain/ids.ts';
import type { DeliveryLogEntry, RecordOutcome } from '../../domain/resources/delivery.ts';
import type { WriteMeasures } from '../../domain/telemetry/write-measures.ts';
import { type Backoff, backoffMs } from '../../domain/time/backoff.ts';
import {
  type AcceptableEntry,
  type AdmittedRuns,
  composeContent,
  composeDelivery,
  composeRun,
  type Duplicate,
  LIMITED_IDS,
  NEW_RUNS,
  type NewRunRow,
  outcomeOfAccepted,
  type Result,
  rejectUnknownVersion,
  rejectUnknownWebhook,
  resultOfAccepted,
  resultOfDuplicate,
  resultOfRejection,
} from '../sql/deliveries/delivery-rows.ts';
import { CONTENTS, DELIVERIES } from '../sql/schema/tables.ts';
import { noteGuarded, openLoopGuard } from './guarded-runs.ts';
import { ClaimEnded, claimIdentities } from './identity-claims.ts';
import { prepareInsert, sendInserts } from './insert-rows.ts';
import { isLostConnection, isRetryable, toStorageError } from './storage-error.ts';
import { inTransaction, withConnection } from './transactions.ts';

/** Attempts of one batch begin within this time. The senders wait meanwhile, about 10 seconds. */
const RETRY_MS = 4000;

/** An attempt that takes longer has lost its connection. */
const ATTEMPT_MS = 4000;

/** Between two attempts while PostgreSQL is unavailable. */
const PAUSES: Backoff = { firstMs: 20, maxMs: 500 };

/**
 * Held from the first number that a batch gets until its commit. So deliveries and runs are committed in the order of their
 * numbers, also those of several daemons, and a reader that is behind a number misses none.
 */
const LOG_LOCK = 0x0d0cbe12;

interface LogParts {
  pool: Pool;
  measures: WriteMeasures;
}

/**
 * Records one batch as one transaction. An attempt that a conflict ended runs again. After a lost connection, the outcome of
 * the commit is unknown: the IDs of the batch show it. Throws the last error if PostgreSQL is unavailable for longer.
 */
export async function recordBatch(
  { pool, measures }: LogParts,
  batch: readonly DeliveryLogEntry[],
): Promise<RecordOutcome[]> {
  if (batch.length === 0) {
    await pool.query('SELECT 1');
    return [];
  }
  measures.batchSize.observe(batch.length);
  const until = performance.now() + RETRY_MS;
  let isUnknown = false;
  for (let attempts = 1; ; attempts += 1) {
    try {
      const known = isUnknown ? await findOutcomes(pool, batch) : null;
      return known ?? (await withConnection(pool, (client) => recordOnce(client, batch, measures), ATTEMPT_MS));
    } catch (error) {
      isUnknown ||= isLostConnection(error);
      if (!isPassing(error) || performance.now() > until) throw error;
      if (!isRetryable(error)) await pause(backoffMs(PAUSES, attempts));
    }
  }
}

/**
 * One transaction in three round trips. An entry that violates the schema must not make the others fail (threat model D11), so
 * the entries are then recorded one by one in a second transaction.
 */
async function recordOnce(
  client: PoolClient,
  batch: readonly DeliveryLogEntry[],
  measures: WriteMeasures,
): Promise<RecordOutcome[]> {
  try {
    const begun = client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const recorded = recordTogether(client, batch, {
      commit: async (written) => {
        const committed = client.query('COMMIT');
        // If a statement fails, its error counts.
        committed.catch(() => undefined);
        await written;
        const since = performance.now();
        // PostgreSQL rolls back a transaction in which a statement failed.
        if ((await committed).command !== 'COMMIT') throw new Error('the transaction was rolled back');
        measures.commitSeconds.observe((performance.now() - since) / 1000);
      },
    });
    const [, outcomes] = await Promise.all([begun, recorded]);
    return outcomes;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    if (isStorageFailure(error)) throw error;
    return inTransaction(client, 'READ COMMITTED', () => recordOneByOne(client, batch));
  }
}

interface StoredOutcome {
  id: string;
  label: number;
  reason: string | null;
  duplicate_of: string | null;
  /** `null` if it was not accepted. */
  decisions: string | null;
}

const FIND_OUTCOMES = `
  SELECT id, label, reason, duplicate_of, decisions
  FROM deliveries LEFT JOIN delivery_contents ON delivery_contents.delivery = deliveries.seq WHERE id = ANY($1::text[])`;

/** The outcomes of a batch that was committed; `null` if it was not. */
async function findOutcomes(pool: Pool, batch: readonly DeliveryLogEntry[]): Promise<RecordOutcome[] | null> {
  const rows = await withConnection(
    pool,
    (client) =>
      inTransaction(client, 'READ COMMITTED', async () => {
        // The server may still be committing for the lost connection. It holds the lock until it has committed.
        await lockLog(client);
        const ids = batch.map(({ id }) => id);
        return (await client.query<StoredOutcome>(FIND_OUTCOMES, [ids])).rows;
      }),
    ATTEMPT_MS,
  );
  if (rows.length === 0) return null;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return batch.map(({ id }): RecordOutcome => {
    const row = byId.get(id);
    if (row === undefined) return { label: null, message: 'the entry violates the schema' };
    const label = DELIVERIES.decode('label', row.label);
    if (label === 'Accepted') return outcomeOfAccepted(row.decisions === null ? [] : listGuarded(row.decisions));
    if (label !== 'Duplicate') return { label } as RecordOutcome;
    return { label, of: row.duplicate_of as DeliveryId, reason: row.reason as Duplicate['reason'] };
  });
}

function listGuarded(decisions: string): string[] {
  const evaluation = CONTENTS.decode('decisions', decisions);
  return 'decisions' in evaluation ? [] : (evaluation.guarded?.automations ?? []);
}

/** Records entries inside a transaction, as `recordOnce`. */
export async function recordEntries(client: ClientBase, batch: readonly DeliveryLogEntry[]): Promise<RecordOutcome[]> {
  try {
    return await withSavepoint(client, () => recordTogether(client, batch));
  } catch (error) {
    if (isStorageFailure(error)) throw error;
  }
  return recordOneByOne(client, batch);
}

async function recordOneByOne(client: ClientBase, batch: readonly DeliveryLogEntry[]): Promise<RecordOutcome[]> {
  const outcomes: RecordOutcome[] = [];
  for (const entry of batch) outcomes.push(await recordSafely(client, entry));
  return outcomes;
}

async function recordSafely(client: ClientBase, entry: DeliveryLogEntry): Promise<RecordOutcome> {
  try {
    const [outcome] = await withSavepoint(client, () => recordTogether(client, [entry]));
    return outcome!;
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    return { label: null, message: messageOf(error) };
  }
}

async function withSavepoint<Value>(client: ClientBase, act: () => Promise<Value>): Promise<Value> {
  await client.query('SAVEPOINT entries');
  try {
    return await act();
  } catch (error) {
    if (!isLostConnection(error)) await client.query('ROLLBACK TO SAVEPOINT entries');
    throw error;
  }
}

/** Can the same batch be recorded soon? */
function isPassing(error: unknown): boolean {
  if (error instanceof ClaimEnded) return true;
  const translated = toStorageError(error);
  return translated instanceof AppError && translated.code === 'storage_unavailable';
}

function isStorageFailure(error: unknown): boolean {
  if (isRetryable(error) || error instanceof ClaimEnded) return true;
  const translated = toStorageError(error);
  return translated instanceof AppError && translated.code !== 'internal';
}

const insertDeliveries = prepareInsert<NumberedRow>('deliveries', {
  inserted: ['seq', ...DELIVERIES.inserted],
  types: ['integer', ...DELIVERIES.types],
  toValues: ({ seq, row }) => [seq, ...DELIVERIES.toValues(row)],
});
const insertContents = prepareInsert('delivery_contents', CONTENTS);
const insertRuns = prepareInsert('runs', NEW_RUNS);
const insertLimitedIds = prepareInsert('limited_delivery_ids', LIMITED_IDS);

interface NumberedRow {
  seq: number;
  row: Parameters<typeof DELIVERIES.toValues>[0];
}

interface Ending {
  /** Commits. Sent with the last statements; `written` resolves when they have succeeded. */
  commit(written: Promise<unknown>): Promise<void>;
}

/**
 * Three round trips: the claims and look-ups, the numbers under the lock of the log, and all rows. Statements of one round trip
 * are sent without waiting for each other.
 */
async function recordTogether(
  client: ClientBase,
  batch: readonly DeliveryLogEntry[],
  ending: Ending = { commit: async (written) => void (await written) },
): Promise<RecordOutcome[]> {
  const [duplicates, stored] = await Promise.all([claimIdentities(client, batch), findStored(client, batch)]);
  const isNew = (entry: DeliveryLogEntry, index: number): entry is AcceptableEntry =>
    entry.kind !== 'rejection' && !duplicates.has(index);
  const started = batch.filter(isNew).filter(({ runs }) => runs.length > 0);
  requireStored(started, stored);
  // Sent together: the guard counts under the lock that the numbers take.
  const [seqs, guard] = await Promise.all([
    takeNumbers(client, batch.length),
    openLoopGuard(client, started, stored.factories),
  ]);
  const rows = batch.map((entry, index): NumberedRow => {
    return { seq: seqs[index]!, row: composeDelivery(entry, resultOf(entry, duplicates.get(index))) };
  });
  const accepted = new Map<DeliveryLogEntry, Accepted>();
  batch.forEach((entry, index) => {
    if (!isNew(entry, index)) return;
    const admitted = guard.admit(entry, stored.factories.get(entry.webhook) ?? '');
    accepted.set(entry, { entry, delivery: seqs[index]!, admitted });
  });
  // All are composed before any is sent: a value that cannot be encoded must not leave a part of the batch to the commit.
  const inserts = [
    insertDeliveries(rows),
    insertContents(
      [...accepted.values()].map(({ entry, delivery, admitted }) => composeContent(entry, delivery, admitted)),
    ),
    insertRuns(composeRuns([...accepted.values()], stored.factories)),
    insertLimitedIds(listLimitedIds(batch, seqs)),
    noteGuarded(guard.rows),
  ];
  await ending.commit(sendInserts(client, inserts));
  return batch.map((entry, index) => outcomeOf(entry, duplicates.get(index), accepted.get(entry)));
}

/** The next numbers of the delivery log, which are committed in this order: the lock is held until then. */
async function takeNumbers(client: ClientBase, count: number): Promise<number[]> {
  const [, { rows }] = await Promise.all([
    lockLog(client),
    client.query<{ seq: number }>({ name: 'take_numbers', text: NUMBERS, values: [count] }),
  ]);
  return rows.map(({ seq }) => seq);
}

const NUMBERS = `SELECT nextval(pg_get_serial_sequence('deliveries', 'seq')) AS seq FROM generate_series(1, $1)`;

async function lockLog(client: ClientBase): Promise<void> {
  await client.query({ name: 'lock_log', text: 'SELECT pg_advisory_xact_lock($1)', values: [LOG_LOCK] });
}

function resultOf(entry: DeliveryLogEntry, duplicate: Duplicate | undefined): Result {
  if (entry.kind === 'rejection') return resultOfRejection(entry);
  return duplicate === undefined || entry.kind === 'replay'
    ? resultOfAccepted(entry)
    : resultOfDuplicate(entry, duplicate);
}

function outcomeOf(
  entry: DeliveryLogEntry,
  duplicate: Duplicate | undefined,
  accepted: Accepted | undefined,
): RecordOutcome {
  if (entry.kind === 'rejection') return { label: entry.label };
  if (duplicate === undefined) return outcomeOfAccepted(accepted!.admitted.guarded);
  return { label: 'Duplicate', of: duplicate.of, reason: duplicate.reason };
}

interface Accepted {
  entry: AcceptableEntry;
  /** `seq` of its row. */
  delivery: number;
  admitted: AdmittedRuns;
}

function composeRuns(accepted: readonly Accepted[], factories: ReadonlyMap<number, string>): NewRunRow[] {
  return accepted.flatMap(({ entry, delivery, admitted }) =>
    admitted.runs.map((run) => composeRun(entry, run, factories.get(entry.webhook)!, delivery)),
  );
}

function listLimitedIds(batch: readonly DeliveryLogEntry[], seqs: readonly number[]) {
  return batch.flatMap((entry, index) => {
    const ids = entry.kind === 'rejection' ? (entry.deliveryIds ?? []) : [];
    return ids.map((identity) => ({ delivery: seqs[index]!, identity }));
  });
}

const FACTORIES = 'SELECT ref, factory FROM webhooks WHERE ref = ANY($1::bigint[])';
const VERSIONS = 'SELECT version FROM automation_versions WHERE version = ANY($1::bigint[])';

/** What the storage has of the webhooks and automations of a batch. */
interface StoredDefinitions {
  /** By number of the webhook. */
  factories: ReadonlyMap<number, string>;
  versions: ReadonlySet<number>;
}

/** Looks up the webhooks whose deliveries start runs, and the versions of the automations. */
async function findStored(client: ClientBase, batch: readonly DeliveryLogEntry[]): Promise<StoredDefinitions> {
  const starting = batch.flatMap((entry) => (entry.kind !== 'rejection' && entry.runs.length > 0 ? [entry] : []));
  if (starting.length === 0) return { factories: new Map(), versions: new Set() };
  const refs = [...new Set(starting.map(({ webhook }) => webhook))];
  const wanted = [...new Set(starting.flatMap(({ runs }) => runs.map(({ version }) => version)))];
  const [webhooks, versions] = await Promise.all([
    client.query<{ ref: number; factory: string }>({ name: 'find_factories', text: FACTORIES, values: [refs] }),
    client.query<{ version: number }>({ name: 'find_versions', text: VERSIONS, values: [wanted] }),
  ]);
  return {
    factories: new Map(webhooks.rows.map(({ ref, factory }) => [ref, factory])),
    versions: new Set(versions.rows.map(({ version }) => version)),
  };
}

/** Throws if a webhook or a version of an automation is not stored. */
function requireStored(starting: readonly AcceptableEntry[], { factories, versions }: StoredDefinitions): void {
  for (const { webhook, runs } of starting) {
    if (!factories.has(webhook)) rejectUnknownWebhook(webhook);
    for (const run of runs) if (!versions.has(run.version)) rejectUnknownVersion(run);
  }
}
