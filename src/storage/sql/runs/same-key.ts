import type { Transaction } from 'kysely';
import type { RunState } from '../../../core/resources/run.ts';
import type { Schema } from '../schema/schema.ts';
import { NOW } from './start.ts';

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

/** Counts those of `runs` in one of these states. */
export async function countSameKey(runs: ReturnType<typeof sameKey>, states: readonly RunState[]): Promise<number> {
  const { count } = await runs
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('runs.state', 'in', states)
    .executeTakeFirstOrThrow();
  return count;
}

/** The oldest run that waits for an end of one with its key; `null` if none waits. */
export async function findOldestWaiting(trx: Transaction<Schema>, run: KeyedRun): Promise<number | null> {
  const waiting = await sameKey(trx, run)
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
