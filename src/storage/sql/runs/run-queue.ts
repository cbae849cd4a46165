import { type Kysely, sql, type Transaction } from 'kysely';
import type { ClaimRequest, RetryOutcome, RunQueue } from '../../../core/ports/runs/run-queue.ts';
import type { RunInput, RunResult, RunState } from '../../../core/resources/run.ts';
import type { Schema } from '../schema/schema.ts';
import { RUN_ATTEMPTS } from '../schema/tables.ts';
import { noteResult } from './run-results.ts';
import { selectRunInputs, selectRuns, toRun, toRunInput } from './run-rows.ts';

/**
 * The queue of runs. Each change names the state that it expects, so that only one of two concurrent changes succeeds. The
 * row of a run has the state of its last attempt, which is changed in the same transaction.
 */
export function createRunQueue(db: Kysely<Schema>): RunQueue {
  const change = <T>(apply: (trx: Transaction<Schema>) => Promise<T>) => db.transaction().execute(apply);
  return {
    claim: (request) => change((trx) => claimRuns(trx, request)),
    finish: ({ id, attempt, result, at }) =>
      change(async (trx) => {
        const { state, error, exitCode } = result;
        const end = { state, error, exit_code: exitCode, finished_at: at };
        return endRun(trx, { id, state: 'running', attempt }, end);
      }),
    release: ({ id, attempt }) =>
      change(async (trx) => {
        const waiting = { state: 'queued', executor: null, started_at: null } as const;
        return (
          (await changeRun(trx, { id, state: 'running', attempt }, waiting, { ...waiting, worker: null })) !== null
        );
      }),
    retryFailed: ({ id, attempt, error, at }) =>
      change(async (trx) => {
        const next = { state: 'queued', attempt: attempt + 1, executor: null, started_at: null } as const;
        const end = { state: 'failed', error, finished_at: at } as const;
        const run = await changeRun(trx, { id, state: 'running', attempt }, next, end);
        if (run !== null)
          await insertRequested(trx, { run, number: attempt + 1, requested_at: at, requested_by: null });
        return run !== null;
      }),
    noteLogOffset: async ({ id, attempt, offset }) => {
      await db
        .updateTable('run_attempts')
        .set({ log_offset: offset })
        .where('run', '=', (select) => select.selectFrom('runs').select('runs.seq').where('runs.id', '=', id))
        .where('number', '=', attempt)
        .execute();
    },
    cancelQueued: ({ id, at }) =>
      change(async (trx) => {
        const end = { state: 'cancelled', error: 'cancelled', finished_at: at } as const;
        return endRun(trx, { id, state: 'queued' }, end);
      }),
    retry: (request) => change((trx) => retryRun(trx, request)),
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

async function claimRuns(
  trx: Transaction<Schema>,
  { factory, executor, limit, at, worker, except = [] }: ClaimRequest,
): Promise<RunInput[]> {
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
  const rows = await selectRunInputs(trx).where('runs.seq', 'in', claimed).orderBy('runs.seq').execute();
  const started = { state: 'running', executor, worker: worker ?? null, started_at: at };
  await trx
    .insertInto('run_attempts')
    .values(rows.map((run) => ({ run: run.seq, number: run.attempt, ...started, log_offset: beginOf(run.attempt) })))
    .onConflict((requested) => requested.columns(['run', 'number']).doUpdateSet(started))
    .execute();
  return rows.map(toRunInput);
}

/** The output of a later attempt begins where the log ends when the attempt starts. */
function beginOf(attempt: number): number | null {
  return attempt === 1 ? 0 : null;
}

interface Expected {
  id: string;
  state: 'queued' | 'running';
  attempt?: number;
}

interface Change {
  state: RunState;
  executor?: null;
  error?: string | null;
  exit_code?: number | null;
  started_at?: null;
  finished_at?: number;
}

/**
 * Changes a run and its last attempt, which may not be stored yet. Returns the number of the row; `null`, and nothing
 * changes, if the run is no longer in that state or attempt.
 */
async function changeRun(
  trx: Transaction<Schema>,
  { id, state, attempt }: Expected,
  change: Change & { attempt?: number },
  attemptChange: Change & { worker?: null },
): Promise<number | null> {
  const found = await trx
    .selectFrom('runs')
    .select(['seq', 'attempt'])
    .where('id', '=', id)
    .where('state', '=', state)
    .$if(attempt !== undefined, (query) => query.where('attempt', '=', attempt!))
    .executeTakeFirst();
  if (found === undefined) return null;
  await trx.updateTable('runs').set(change).where('seq', '=', found.seq).execute();
  await trx
    .updateTable('run_attempts')
    .set(attemptChange)
    .where('run', '=', found.seq)
    .where('number', '=', found.attempt)
    .execute();
  return found.seq;
}

/** Ends a run and its last attempt, and notes the result for its automation. `false` as `changeRun`. */
async function endRun(
  trx: Transaction<Schema>,
  expected: Expected,
  end: Change & { state: RunResult['state'] },
): Promise<boolean> {
  const run = await changeRun(trx, expected, end, end);
  if (run !== null) await noteResult(trx, run, end.state);
  return run !== null;
}

async function insertRequested(
  trx: Transaction<Schema>,
  requested: { run: number; number: number; requested_at: number; requested_by: string | null },
): Promise<void> {
  await trx
    .insertInto('run_attempts')
    .values({ state: 'queued', ...requested })
    .execute();
}

/** A run without its payload cannot be executed, so it is not queued. */
async function retryRun(
  trx: Transaction<Schema>,
  { id, requestedBy, at }: Parameters<RunQueue['retry']>[0],
): Promise<RetryOutcome> {
  const queued = await trx
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
    .returning(['seq as run', 'attempt as number'])
    .executeTakeFirst();
  if (queued !== undefined) {
    const requested_by = RUN_ATTEMPTS.encode('requestedBy', requestedBy);
    await insertRequested(trx, { ...queued, requested_at: at, requested_by });
    return 'queued';
  }
  const run = await trx.selectFrom('runs').select('state').where('id', '=', id).executeTakeFirst();
  if (run === undefined) return 'not_found';
  return run.state === 'queued' || run.state === 'running' ? 'unfinished' : 'payload_gone';
}
