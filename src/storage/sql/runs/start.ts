import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import type { RunGate } from '../../../domain/resources/run.ts';
import type { Schema } from '../schema/schema.ts';

/** When a queued run may start. */
export interface Start {
  gate: RunGate | null;
  not_before: number | null;
}

/** The run only waits for a slot. */
export const NOW = { gate: null, not_before: null } as const;

/** Matches the queued runs that only wait for a slot. Written as in the index `runs_claimable`, which no parameter matches. */
export function isClaimable(): RawBuilder<boolean> {
  return sql<boolean>`runs.state = 'queued' AND runs.gate IS NULL`;
}

/** Matches the runs that wait at this gate. Written as in the index `runs_held_back`. */
export function isHeldBack(gate: 'budget' | 'paused'): RawBuilder<boolean> {
  return sql<boolean>`runs.gate IN ('budget', 'paused') AND runs.gate = ${gate}`;
}

/** Matches the runs that need exactly these labels. No index of PostgreSQL serves `is not distinct from`. */
export function needs(run: ExpressionBuilder<Schema, 'runs'>, runsOn: string | null) {
  return runsOn === null ? run('runs.runs_on', 'is', null) : run('runs.runs_on', '=', runsOn);
}
