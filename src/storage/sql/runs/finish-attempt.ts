import type { Transaction } from 'kysely';
import type { RunId } from '../../../domain/ids.ts';
import type { FinishRequest, RunEnd } from '../../../domain/ports/run-queue.ts';
import { findRetryDelay, NO_RETRY, readRetryTerms } from '../../../domain/runs/run-policy.ts';
import type { Schema } from '../schema/schema.ts';
import { AUTOMATION_VERSIONS } from '../schema/tables.ts';
import { changeRun, encodeOutput, endRun, insertRequested } from './change-run.ts';
import { NOW, type Start } from './start.ts';

/**
 * Ends an attempt. The policy of the version that was live when the run was created decides about a next one. A repeated request
 * finds the end that the first one recorded.
 */
export async function finishAttempt(trx: Transaction<Schema>, request: FinishRequest): Promise<RunEnd | null> {
  return (await endOrRetry(trx, request)) ?? (await findRecordedEnd(trx, request));
}

async function endOrRetry(trx: Transaction<Schema>, request: FinishRequest): Promise<RunEnd | null> {
  const { id, attempt, result, at, otherwise = NO_RETRY } = request;
  const run = await readPolicy(trx, id);
  if (run === null) return null;
  const terms = run.retry === null ? otherwise : readRetryTerms(run.retry);
  const delayMs = run.isSuperseded ? null : findRetryDelay(terms, attempt, result, Math.random());
  if (delayMs !== null) {
    const start = delayMs === 0 ? NOW : ({ gate: 'backoff', not_before: at + delayMs } as const);
    return (await queueNext(trx, request, start)) ? { nextAttemptAt: at + delayMs } : null;
  }
  const { state, exitCode } = result;
  const error = state === 'cancelled' && run.isSuperseded ? 'superseded' : result.error;
  const end = { state, error, exit_code: exitCode, finished_at: at };
  return (await endRun(trx, { id, state: 'running', attempt }, end, result.output)) ? { nextAttemptAt: null } : null;
}

/** The end of this attempt, if the same request recorded it. */
async function findRecordedEnd(
  trx: Transaction<Schema>,
  { id, attempt, result, at }: FinishRequest,
): Promise<RunEnd | null> {
  const run = await trx
    .selectFrom('runs')
    .innerJoin('run_attempts', (join) =>
      join.onRef('run_attempts.run', '=', 'runs.seq').on('run_attempts.number', '=', attempt),
    )
    .select(['runs.attempt', 'runs.not_before'])
    .where('runs.id', '=', id)
    .where('run_attempts.state', '=', result.state)
    .where('run_attempts.finished_at', '=', at)
    .executeTakeFirst();
  if (run === undefined) return null;
  return { nextAttemptAt: run.attempt > attempt ? (run.not_before ?? at) : null };
}

async function readPolicy(trx: Transaction<Schema>, id: RunId) {
  const row = await trx
    .selectFrom('runs')
    .innerJoin('automation_versions', 'automation_versions.version', 'runs.version')
    .select(['runs.superseded_by', 'automation_versions.retry'])
    .where('runs.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const retry = row.retry === null ? null : AUTOMATION_VERSIONS.decode('retry', row.retry);
  return { isSuperseded: row.superseded_by !== null, retry };
}

/** Ends an attempt that failed, and queues the next one. `false` if that attempt is no longer `running`. */
export async function queueNext(
  trx: Transaction<Schema>,
  { id, attempt, result, at }: Pick<FinishRequest, 'id' | 'attempt' | 'result' | 'at'>,
  start: Start,
): Promise<boolean> {
  const next = { state: 'queued', attempt: attempt + 1, executor: null, started_at: null, ...start } as const;
  const end = { state: 'failed', error: result.error, exit_code: result.exitCode, finished_at: at } as const;
  const ended = { ...end, ...encodeOutput(result.output) };
  const run = await changeRun(trx, { id, state: 'running', attempt }, next, ended);
  if (run !== null) await insertRequested(trx, { run, number: attempt + 1, requested_at: at, requested_by: null });
  return run !== null;
}
