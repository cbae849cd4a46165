import { type Kysely, sql, type Transaction } from 'kysely';
import type { RetryOutcome, RunQueue } from '../../../domain/ports/run-queue.ts';
import type { Schema } from '../schema/schema.ts';
import { RUN_ATTEMPTS } from '../schema/tables.ts';
import { createAcceptance, selectAcceptance } from './accepted-runs.ts';
import { admitRuns } from './admit-runs.ts';
import { refundStart } from './budget.ts';
import { changeRun, endRun, insertRequested } from './change-run.ts';
import { claimRuns } from './claim-runs.ts';
import { finishAttempt, queueNext } from './finish-attempt.ts';
import { selectRuns, toRun } from './run-rows.ts';
import type { ClaimLock } from './select-claimable.ts';
import { NOW } from './start.ts';

/**
 * The queue of runs. Each change names the state that it expects, so that only one of two concurrent changes succeeds. The
 * row of a run has the state of its last attempt, which is changed in the same transaction.
 *
 * ```
 *                   claim                  finish
 *      queued ──────────────────▶ running ─────────▶ succeeded, failed, cancelled
 *      ▲ ▲ ▲ │                     │    │             │
 *      │ │ └─┼────── release ──────┘    │             │
 *      │ └───┼─── finish, retryFailed ──┘             │   the next attempt, by the policy of the automation
 *      └─────┼──────────── retry ─────────────────────┘   the next attempt, by a person
 *            └─ cancelQueued, or the policy of another run ──▶ cancelled
 * ```
 *
 * What a queued run waits for is its gate (`RunGate`). A run that a receiver has accepted stays `running` (`accept`).
 */
export function createRunQueue(db: Kysely<Schema>, lock: ClaimLock): RunQueue {
  const change = <T>(apply: (trx: Transaction<Schema>) => Promise<T>) => db.transaction().execute(apply);
  return {
    claim: (request) => change((trx) => claimRuns(trx, request, lock)),
    admit: ({ factory, at }) => change((trx) => admitRuns(trx, factory, at)),
    finish: (request) => change((trx) => finishAttempt(trx, request)),
    release: ({ id, attempt }) =>
      change(async (trx) => {
        await refundStart(trx, id, attempt);
        const waiting = { state: 'queued', executor: null, started_at: null } as const;
        return (
          (await changeRun(trx, { id, state: 'running', attempt }, waiting, { ...waiting, worker: null })) !== null
        );
      }),
    retryFailed: ({ id, attempt, error, at }) =>
      change(async (trx) => {
        await refundStart(trx, id, attempt);
        return queueNext(trx, { id, attempt, result: { state: 'failed', error, exitCode: null }, at }, NOW);
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
    running: async (executor, factory) => {
      const rows = await selectRuns(db)
        .leftJoin('run_attempts', (join) =>
          join.onRef('run_attempts.run', '=', 'runs.seq').onRef('run_attempts.number', '=', 'runs.attempt'),
        )
        .select('run_attempts.machine')
        .where('runs.state', '=', 'running')
        .where('runs.executor', '=', executor)
        .$if(factory !== undefined, (query) => query.where('runs.factory', '=', factory!))
        .where((where) => where.not(where.exists(selectAcceptance(where))))
        .orderBy('runs.seq')
        .execute();
      return rows.map((row) => ({ run: toRun(row), machine: row.machine }));
    },
    ...createAcceptance(db),
  };
}

/** A run without its payload cannot be executed, so it is not queued. */
async function retryRun(
  trx: Transaction<Schema>,
  { id, requestedBy, at }: Parameters<RunQueue['retry']>[0],
): Promise<RetryOutcome> {
  const queued = await trx
    .updateTable('runs')
    .set({ state: 'queued', attempt: sql`attempt + 1`, executor: null, error: null, exit_code: null })
    .set({ started_at: null, finished_at: null, superseded_by: null, ...NOW })
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
