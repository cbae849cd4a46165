import { type Kysely, sql } from 'kysely';
import type { RetryOutcome, RunQueue } from '../../../core/ports/runs/run-queue.ts';
import type { Schema } from '../schema/schema.ts';
import { selectRunInputs, selectRuns, toRun, toRunInput } from './run-rows.ts';

/**
 * The queue of runs. Each change names the state that it expects, so that only one of two concurrent changes succeeds.
 */
export function createRunQueue(db: Kysely<Schema>): RunQueue {
  return {
    claim: ({ factory, executor, limit, at, except = [] }) =>
      db.transaction().execute(async (trx) => {
        const oldest = await trx
          .selectFrom('runs')
          .select('seq')
          .where('factory', '=', factory)
          .where('state', '=', 'queued')
          .$if(except.length > 0, (query) => query.where('id', 'not in', except))
          .orderBy('seq')
          .limit(limit)
          .execute();
        const claimed = oldest.map((run) => run.seq);
        if (claimed.length === 0) return [];
        const taken = { state: 'running', executor, started_at: at, error: null, exit_code: null, finished_at: null };
        await trx.updateTable('runs').set(taken).where('seq', 'in', claimed).execute();
        const inputs = await selectRunInputs(trx).where('runs.seq', 'in', claimed).orderBy('runs.seq').execute();
        return inputs.map(toRunInput);
      }),
    finish: async ({ id, attempt, result, at }) => {
      const { state, error, exitCode } = result;
      return changeRun(db, id, 'running', attempt, { state, error, exit_code: exitCode, finished_at: at });
    },
    release: async ({ id, attempt, nextAttempt }) =>
      changeRun(db, id, 'running', attempt, {
        state: 'queued',
        attempt: nextAttempt,
        executor: null,
        started_at: null,
      }),
    cancelQueued: async ({ id, at }) =>
      changeRun(db, id, 'queued', null, { state: 'cancelled', error: 'cancelled', finished_at: at }),
    retry: (id) => retryRun(db, id),
    running: async (executor) => {
      const rows = await selectRuns(db)
        .where('runs.state', '=', 'running')
        .where('runs.executor', '=', executor)
        .orderBy('runs.seq')
        .execute();
      return rows.map(toRun);
    },
  };
}

/** `false` if the run is no longer in that state or attempt. */
async function changeRun(
  db: Kysely<Schema>,
  id: string,
  expectedState: 'queued' | 'running',
  attempt: number | null,
  change: Partial<{
    state: string;
    attempt: number;
    executor: null;
    error: string | null;
    exit_code: number | null;
    started_at: null;
    finished_at: number;
  }>,
): Promise<boolean> {
  let query = db.updateTable('runs').set(change).where('id', '=', id).where('state', '=', expectedState);
  if (attempt !== null) query = query.where('attempt', '=', attempt);
  return (await query.executeTakeFirst()).numUpdatedRows === 1n;
}

/** A run without its payload cannot be executed, so it is not queued. */
async function retryRun(db: Kysely<Schema>, id: string): Promise<RetryOutcome> {
  const { numUpdatedRows } = await db
    .updateTable('runs')
    .set({ state: 'queued', attempt: sql`attempt + 1`, executor: null, error: null, exit_code: null })
    .set({ started_at: null, finished_at: null })
    .where('id', '=', id)
    .where('state', 'not in', ['queued', 'running'])
    .where((where) =>
      where.exists(
        where
          .selectFrom('delivery_contents')
          .select('delivery_contents.delivery')
          .whereRef('delivery_contents.delivery', '=', 'runs.delivery'),
      ),
    )
    .executeTakeFirst();
  if (numUpdatedRows === 1n) return 'queued';
  const run = await db.selectFrom('runs').select('state').where('id', '=', id).executeTakeFirst();
  if (run === undefined) return 'not_found';
  return run.state === 'queued' || run.state === 'running' ? 'unfinished' : 'payload_gone';
}
