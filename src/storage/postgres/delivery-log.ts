import type { ClientBase, Pool, PoolClient } from 'pg';
import { AppError, messageOf } from '../../core/errors.ts';
import type { DeliveryId } from '../../core/ids.ts';
import type { DeliveryLogEntry, RecordOutcome } from '../../core/resources/delivery.ts';
import type { WriteMeasures } from '../../core/write-measures.ts';
import {
  type AcceptableEntry,
  composeContent,
  composeDelivery,
  composeRun,
  LIMITED_IDS,
  NEW_RUNS,
  type NewRunRow,
  type Result,
  rejectUnknownVersion,
  rejectUnknownWebhook,
  resultOfAccepted,
  resultOfRejection,
} from '../sql/deliveries/delivery-rows.ts';
import { CONTENTS, DELIVERIES } from '../sql/schema/tables.ts';
import { ClaimEnded, claimIdentities, type Duplicate } from './identity-claims.ts';
import { prepareInsertRows } from './insert-rows.ts';
import { inTransaction, withConnection } from './operations.ts';
import { isLostConnection, isRetryable, toStorageError } from './storage-error.ts';

/** Attempts of one batch. The sender waits meanwhile. */
const MAX_ATTEMPTS = 5;

/**
 * Held from the first number that a batch gets until its commit. So deliveries and runs are committed in the order of their
 * numbers, also those of several daemons, and a reader that is behind a number misses none.
 */
const LOG_LOCK = 0x0d0cbe12;

/** Announces to the other replicas, in the transaction of a batch, that it starts runs of these factories. */
export type AnnounceRuns = (client: ClientBase, factories: readonly string[]) => Promise<void>;

export interface LogParts {
  pool: Pool;
  measures: WriteMeasures;
  announceRuns: AnnounceRuns;
}

/**
 * Records one batch as one transaction. An attempt that a conflict ended runs again. After a lost connection, the outcome of
 * the commit is unknown: the IDs of the batch show it.
 */
export async function recordBatch(
  { pool, ...parts }: LogParts,
  batch: readonly DeliveryLogEntry[],
): Promise<RecordOutcome[]> {
  if (batch.length === 0) {
    await pool.query('SELECT 1');
    return [];
  }
  parts.measures.batchSize.observe(batch.length);
  let isUnknown = false;
  for (let attempts = 1; ; attempts += 1) {
    try {
      const known = isUnknown ? await findOutcomes(pool, batch) : null;
      return known ?? (await withConnection(pool, (client) => recordOnce(client, batch, parts)));
    } catch (error) {
      isUnknown ||= isLostConnection(error);
      const isWorthwhile = isRetryable(error) || isLostConnection(error) || error instanceof ClaimEnded;
      if (attempts === MAX_ATTEMPTS || !isWorthwhile) throw error;
    }
  }
}

async function recordOnce(
  client: PoolClient,
  batch: readonly DeliveryLogEntry[],
  { measures, announceRuns }: Omit<LogParts, 'pool'>,
): Promise<RecordOutcome[]> {
  let commitsSince = 0;
  const outcomes = await inTransaction(client, 'READ COMMITTED', async () => {
    const recorded = await recordEntries(client, batch, announceRuns);
    commitsSince = performance.now();
    return recorded;
  });
  measures.commitSeconds.observe((performance.now() - commitsSince) / 1000);
  return outcomes;
}

interface StoredOutcome {
  id: string;
  label: number;
  reason: string | null;
  duplicate_of: string | null;
}

const FIND_OUTCOMES = 'SELECT id, label, reason, duplicate_of FROM deliveries WHERE id = ANY($1::text[])';

/** The outcomes of a batch that was committed; `null` if it was not. */
async function findOutcomes(pool: Pool, batch: readonly DeliveryLogEntry[]): Promise<RecordOutcome[] | null> {
  const rows = await withConnection(pool, (client) =>
    inTransaction(client, 'READ COMMITTED', async () => {
      // The server may still be committing for the lost connection. It holds the lock until it has committed.
      await lockLog(client);
      const ids = batch.map(({ id }) => id);
      return (await client.query<StoredOutcome>(FIND_OUTCOMES, [ids])).rows;
    }),
  );
  if (rows.length === 0) return null;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return batch.map(({ id }): RecordOutcome => {
    const row = byId.get(id);
    if (row === undefined) return { label: null, message: 'the entry violates the schema' };
    const label = DELIVERIES.decode('label', row.label);
    if (label !== 'Duplicate') return { label } as RecordOutcome;
    return { label, of: row.duplicate_of as DeliveryId, reason: row.reason as Duplicate['reason'] };
  });
}

/**
 * Records entries inside a transaction. An entry that violates the schema must not make the others fail (threat model D11), so
 * they are then recorded one by one.
 */
export async function recordEntries(
  client: ClientBase,
  batch: readonly DeliveryLogEntry[],
  announceRuns: AnnounceRuns = async () => {},
): Promise<RecordOutcome[]> {
  try {
    return await withSavepoint(client, () => recordTogether(client, batch, announceRuns));
  } catch (error) {
    if (isStorageFailure(error)) throw error;
  }
  const outcomes: RecordOutcome[] = [];
  for (const entry of batch) outcomes.push(await recordSafely(client, entry, announceRuns));
  return outcomes;
}

async function recordSafely(
  client: ClientBase,
  entry: DeliveryLogEntry,
  announceRuns: AnnounceRuns,
): Promise<RecordOutcome> {
  try {
    const [outcome] = await withSavepoint(client, () => recordTogether(client, [entry], announceRuns));
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

function isStorageFailure(error: unknown): boolean {
  if (isRetryable(error) || error instanceof ClaimEnded) return true;
  const translated = toStorageError(error);
  return translated instanceof AppError && translated.code !== 'internal';
}

const insertDeliveries = prepareInsertRows('deliveries', DELIVERIES, 'seq');
const insertContents = prepareInsertRows('delivery_contents', CONTENTS);
const insertRuns = prepareInsertRows('runs', NEW_RUNS);
const insertLimitedIds = prepareInsertRows('limited_delivery_ids', LIMITED_IDS);

async function recordTogether(
  client: ClientBase,
  batch: readonly DeliveryLogEntry[],
  announceRuns: AnnounceRuns,
): Promise<RecordOutcome[]> {
  const duplicates = await claimIdentities(client, batch);
  const isNew = (entry: DeliveryLogEntry, index: number): entry is AcceptableEntry =>
    entry.kind !== 'rejection' && !duplicates.has(index);
  const factories = await findFactories(client, batch.filter(isNew));
  await lockLog(client);
  const rows = batch.map((entry, index) => composeDelivery(entry, resultOf(entry, duplicates.get(index))));
  const seqs = await insertDeliveries(client, rows);
  const accepted = batch.flatMap((entry, index) => (isNew(entry, index) ? [{ entry, delivery: seqs[index]! }] : []));
  await insertContents(
    client,
    accepted.map(({ entry, delivery }) => composeContent(entry, delivery)),
  );
  await insertRuns(client, composeRuns(accepted, factories));
  if (factories.size > 0) await announceRuns(client, [...new Set(factories.values())]);
  await insertLimitedIds(client, listLimitedIds(batch, seqs));
  return batch.map((entry, index) => outcomeOf(entry, duplicates.get(index)));
}

async function lockLog(client: ClientBase): Promise<void> {
  await client.query({ name: 'lock_log', text: 'SELECT pg_advisory_xact_lock($1)', values: [LOG_LOCK] });
}

function resultOf(entry: DeliveryLogEntry, duplicate: Duplicate | undefined): Result {
  if (entry.kind === 'rejection') return resultOfRejection(entry);
  if (duplicate === undefined) return resultOfAccepted(entry);
  return { label: 'Duplicate', reason: duplicate.reason, duplicateOf: duplicate.of };
}

function outcomeOf(entry: DeliveryLogEntry, duplicate: Duplicate | undefined): RecordOutcome {
  if (entry.kind === 'rejection') return { label: entry.label };
  return duplicate === undefined ? { label: 'Accepted' } : { label: 'Duplicate', ...duplicate };
}

interface Accepted {
  entry: AcceptableEntry;
  /** `seq` of its row. */
  delivery: number;
}

function composeRuns(accepted: readonly Accepted[], factories: ReadonlyMap<number, string>): NewRunRow[] {
  return accepted.flatMap(({ entry, delivery }) =>
    entry.runs.map((run) => composeRun(entry, run, factories.get(entry.webhook)!, delivery)),
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

/** The factories of the webhooks whose deliveries start runs. Throws if a webhook or a version of an automation is not stored. */
async function findFactories(
  client: ClientBase,
  entries: readonly AcceptableEntry[],
): Promise<ReadonlyMap<number, string>> {
  const starting = entries.filter(({ runs }) => runs.length > 0);
  if (starting.length === 0) return new Map();
  const runs = starting.flatMap((entry) => entry.runs);
  const refs = [...new Set(starting.map(({ webhook }) => webhook))];
  const wanted = [...new Set(runs.map(({ version }) => version))];
  const found = await client.query<{ ref: number; factory: string }>({
    name: 'find_factories',
    text: FACTORIES,
    values: [refs],
  });
  const stored = await client.query<{ version: number }>({ name: 'find_versions', text: VERSIONS, values: [wanted] });
  const factories = new Map(found.rows.map(({ ref, factory }) => [ref, factory]));
  const versions = new Set(stored.rows.map(({ version }) => version));
  for (const ref of refs) if (!factories.has(ref)) rejectUnknownWebhook(ref);
  for (const run of runs) if (!versions.has(run.version)) rejectUnknownVersion(run);
  return factories;
}
