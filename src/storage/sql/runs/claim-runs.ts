import { sql, type Transaction } from 'kysely';
import type { Claimed, ClaimRequest } from '../../../core/ports/runs/run-queue.ts';
import type { Schema } from '../schema/schema.ts';
import { NOW } from './change-run.ts';
import { selectRunInputs, toRunInput } from './run-rows.ts';

/** The oldest queued runs that only wait for a slot become `running`. */
export async function claimRuns(
  trx: Transaction<Schema>,
  { factory, executor, limit, at, worker, except = [] }: ClaimRequest,
): Promise<Claimed> {
  await openDueGates(trx, factory, at);
  const oldest = await trx
    .selectFrom('runs')
    .select('seq')
    .where('factory', '=', factory)
    // Written as in the index `runs_claimable`, which no parameter would match.
    .where(sql<boolean>`state = 'queued' AND gate IS NULL`)
    .$if(except.length > 0, (query) => query.where('id', 'not in', except))
    .orderBy('seq')
    .limit(limit)
    .execute();
  const claimed = oldest.map((run) => run.seq);
  const nextAt = claimed.length < limit ? await findNextOpening(trx, factory) : null;
  if (claimed.length === 0) return { inputs: [], nextAt };
  const taken = { state: 'running', executor, started_at: at, error: null, exit_code: null, finished_at: null };
  await trx.updateTable('runs').set(taken).where('seq', 'in', claimed).execute();
  const rows = await selectRunInputs(trx).where('runs.seq', 'in', claimed).orderBy('runs.seq').execute();
  const started = { state: 'running', executor, worker: worker ?? null, started_at: at };
  await trx
    .insertInto('run_attempts')
    .values(rows.map((run) => ({ run: run.seq, number: run.attempt, ...started, log_offset: beginOf(run.attempt) })))
    .onConflict((requested) => requested.columns(['run', 'number']).doUpdateSet(started))
    .execute();
  return { inputs: rows.map(toRunInput), nextAt };
}

/** Lets the runs whose time has come be claimed. */
async function openDueGates(trx: Transaction<Schema>, factory: string, at: number): Promise<void> {
  await trx
    .updateTable('runs')
    .set(NOW)
    .where('factory', '=', factory)
    .where('gate', '=', 'backoff')
    .where('not_before', '<=', at)
    .execute();
}

async function findNextOpening(trx: Transaction<Schema>, factory: string): Promise<number | null> {
  const found = await trx
    .selectFrom('runs')
    .select('not_before')
    .where('factory', '=', factory)
    .where('gate', '=', 'backoff')
    .orderBy('not_before')
    .limit(1)
    .executeTakeFirst();
  return found?.not_before ?? null;
}

/** The output of a later attempt begins where the log ends when the attempt starts. */
function beginOf(attempt: number): number | null {
  return attempt === 1 ? 0 : null;
}
