import type { Transaction } from 'kysely';
import type { Schema } from '../schema/schema.ts';
import { isClaimable, NOW, needs } from './start.ts';

/** A run that its automation limits by key. */
export interface KeyedRun {
  seq: number;
  factory: string;
  automation: string;
  concurrency_key: string | null;
}

/** The other runs with the same key. */
export function sameKey(trx: Transaction<Schema>, { seq, factory, automation, concurrency_key }: KeyedRun) {
  return trx
    .selectFrom('runs')
    .where('runs.factory', '=', factory)
    .where('runs.automation', '=', automation)
    .where('runs.concurrency_key', '=', concurrency_key)
    .where('runs.seq', '!=', seq);
}

/** Do the running runs with the same key fill the limit? */
export async function isFull(trx: Transaction<Schema>, run: KeyedRun, limit: number): Promise<boolean> {
  return (await countRunning(trx, run, limit)) >= limit;
}

/** Would the limit be filled if each run with the same key that only waits for a slot was running? */
export async function isCrowded(trx: Transaction<Schema>, run: KeyedRun, limit: number): Promise<boolean> {
  const free = limit - (await countRunning(trx, run, limit));
  return free <= 0 || (await countUpTo(sameKey(trx, run).where(isClaimable()), free)) >= free;
}

function countRunning(trx: Transaction<Schema>, run: KeyedRun, max: number): Promise<number> {
  return countUpTo(sameKey(trx, run).where('runs.state', '=', 'running'), max);
}

/** Reads no more than `max` of these runs. */
export async function countUpTo(runs: ReturnType<typeof sameKey>, max: number): Promise<number> {
  return (await runs.select('runs.seq').limit(max).execute()).length;
}

/**
 * The oldest run that waits for an end of one with its key; `null` if none waits.
 * @param runsOn only among the runs that need these labels
 */
export async function findOldestWaiting(
  trx: Transaction<Schema>,
  run: KeyedRun,
  runsOn?: string | null,
): Promise<number | null> {
  const waiting = await sameKey(trx, run)
    .$if(runsOn !== undefined, (query) => query.where((run) => needs(run, runsOn!)))
    .select('runs.seq')
    .where('runs.state', '=', 'queued')
    .where('runs.gate', '=', 'concurrency')
    .orderBy('runs.seq')
    .limit(1)
    .executeTakeFirst();
  return waiting?.seq ?? null;
}

/** Lets the run be claimed that waited longest for an end of one with its key. */
export async function openOldest(trx: Transaction<Schema>, run: KeyedRun): Promise<void> {
  const waiting = await findOldestWaiting(trx, run);
  if (waiting !== null) await trx.updateTable('runs').set(NOW).where('seq', '=', waiting).execute();
}
