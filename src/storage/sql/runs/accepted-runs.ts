import type { ExpressionBuilder, Kysely } from 'kysely';
import type { RunId } from '../../../domain/ids.ts';
import type { RunQueue } from '../../../domain/ports/run-queue.ts';
import type { Schema } from '../schema/schema.ts';
import { RUN_ATTEMPTS } from '../schema/tables.ts';
import { selectRuns, toRun } from './run-rows.ts';

/** The part of the queue about attempts that a receiver has accepted, and about their progress. */
export function createAcceptance(db: Kysely<Schema>): Pick<RunQueue, 'accept' | 'accepted' | 'noteProgress'> {
  return {
    accept: async ({ id, attempt, heldUntil }) => {
      const accepted = await updateRunning(db, id, attempt).set({ held_until: heldUntil }).executeTakeFirst();
      return accepted.numUpdatedRows === 1n;
    },
    accepted: async () => {
      const rows = await selectRuns(db)
        .innerJoin('run_attempts', (join) =>
          join.onRef('run_attempts.run', '=', 'runs.seq').onRef('run_attempts.number', '=', 'runs.attempt'),
        )
        .select('run_attempts.held_until')
        .where('runs.state', '=', 'running')
        .where('run_attempts.held_until', 'is not', null)
        .orderBy('runs.seq')
        .execute();
      return rows.map((row) => ({ run: toRun(row), heldUntil: row.held_until! }));
    },
    noteProgress: async ({ id, attempt, progress }) => {
      await updateRunning(db, id, attempt)
        .set({ progress: RUN_ATTEMPTS.encode('progress', progress) })
        .execute();
    },
  };
}

/** The current attempt of the run of the outer query, if a receiver has accepted it. */
export function selectAcceptance(runs: ExpressionBuilder<Schema, 'runs'>) {
  return runs
    .selectFrom('run_attempts')
    .select('run_attempts.run')
    .whereRef('run_attempts.run', '=', 'runs.seq')
    .whereRef('run_attempts.number', '=', 'runs.attempt')
    .where('run_attempts.held_until', 'is not', null);
}

function updateRunning(db: Kysely<Schema>, id: RunId, attempt: number) {
  return db
    .updateTable('run_attempts')
    .where('run', '=', (select) =>
      select
        .selectFrom('runs')
        .select('runs.seq')
        .where('runs.id', '=', id)
        .where('runs.state', '=', 'running')
        .where('runs.attempt', '=', attempt),
    )
    .where('number', '=', attempt);
}
