import type { Transaction } from 'kysely';
import type { Schema } from '../schema/schema.ts';
import { findNextBudgetOpening, openDueBudgets } from './budget.ts';
import { NOW } from './start.ts';

/** The gates that open at the time `not_before` of a run. */
const TIMED = ['backoff', 'debounce'] as const;

/** Does a run of the factory wait for more than a slot? Most factories have none, and a claim then examines no gate. */
export async function hasGated(trx: Transaction<Schema>, factory: string): Promise<boolean> {
  const gated = await trx
    .selectFrom('runs')
    .select('seq')
    .where('factory', '=', factory)
    .where('gate', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return gated !== undefined;
}

/** Lets the runs whose time has come be claimed. */
export async function openDueGates(trx: Transaction<Schema>, factory: string, at: number): Promise<void> {
  for (const gate of TIMED) {
    await trx
      .updateTable('runs')
      // The concurrency of a run applies after its quiet time, which `not_before` shows to have passed.
      .set(gate === 'debounce' ? { gate: 'arrived' } : NOW)
      .where('factory', '=', factory)
      .where('gate', '=', gate)
      .where('not_before', '<=', at)
      .execute();
  }
  await openDueBudgets(trx, factory, at);
}

/** When the next gate of a factory opens, as wall time in milliseconds; `null` if no run waits for a time. */
export async function findNextOpening(trx: Transaction<Schema>, factory: string): Promise<number | null> {
  const openings = [await findNextBudgetOpening(trx, factory)];
  for (const gate of TIMED) {
    const next = await trx
      .selectFrom('runs')
      .select('not_before')
      .where('factory', '=', factory)
      .where('gate', '=', gate)
      .orderBy('not_before')
      .limit(1)
      .executeTakeFirst();
    openings.push(next?.not_before ?? null);
  }
  return findEarliest(openings);
}

/** The earliest of these times; `null` if there is none. */
export function findEarliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
