import type { Transaction } from 'kysely';
import type { RunId } from '../../../core/ids.ts';
import type { FinishRequest, RunEnd } from '../../../core/ports/runs/run-queue.ts';
import { findRetryDelay, NO_RETRY, type RetryTerms, readRetryTerms } from '../../../core/run-policy.ts';
import type { Schema } from '../schema/schema.ts';
import { AUTOMATION_VERSIONS, VERSION_COLUMNS } from '../schema/tables.ts';
import { changeRun, endRun, insertRequested, NOW, type Start } from './change-run.ts';

/** Ends an attempt. The policy of the version that was live when the run was created decides about a next one. */
export async function finishAttempt(trx: Transaction<Schema>, request: FinishRequest): Promise<RunEnd | null> {
  const { id, attempt, result, at, otherwise = NO_RETRY } = request;
  const delayMs =
    result.state === 'failed'
      ? findRetryDelay(await findRetryTerms(trx, id, otherwise), attempt, result, Math.random())
      : null;
  if (delayMs !== null) {
    const start = delayMs === 0 ? NOW : ({ gate: 'backoff', not_before: at + delayMs } as const);
    return (await queueNext(trx, request, start)) ? { nextAttemptAt: at + delayMs } : null;
  }
  const { state, error, exitCode } = result;
  const end = { state, error, exit_code: exitCode, finished_at: at };
  return (await endRun(trx, { id, state: 'running', attempt }, end)) ? { nextAttemptAt: null } : null;
}

async function findRetryTerms(trx: Transaction<Schema>, id: RunId, otherwise: RetryTerms): Promise<RetryTerms> {
  const row = await trx
    .selectFrom('runs')
    .innerJoin('automation_versions', 'automation_versions.version', 'runs.version')
    .select(VERSION_COLUMNS)
    .where('runs.id', '=', id)
    .executeTakeFirst();
  const { retry } = row === undefined ? { retry: null } : AUTOMATION_VERSIONS.fromRow(row);
  return retry === null ? otherwise : readRetryTerms(retry);
}

/** Ends an attempt that failed, and queues the next one. `false` if that attempt is no longer `running`. */
export async function queueNext(
  trx: Transaction<Schema>,
  { id, attempt, result, at }: Pick<FinishRequest, 'id' | 'attempt' | 'result' | 'at'>,
  start: Start,
): Promise<boolean> {
  const next = { state: 'queued', attempt: attempt + 1, executor: null, started_at: null, ...start } as const;
  const end = { state: 'failed', error: result.error, exit_code: result.exitCode, finished_at: at } as const;
  const run = await changeRun(trx, { id, state: 'running', attempt }, next, end);
  if (run !== null) await insertRequested(trx, { run, number: attempt + 1, requested_at: at, requested_by: null });
  return run !== null;
}
