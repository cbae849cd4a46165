import { sql, type Transaction } from 'kysely';
import type { RunId } from '../../../core/ids.ts';
import type { Claimed, ClaimRequest } from '../../../core/ports/runs/run-queue.ts';
import type { Schema } from '../schema/schema.ts';
import { admitRuns, readTerms } from './admit-runs.ts';
import { endRun } from './change-run.ts';
import { selectRunInputs, toRunInput } from './run-rows.ts';
import { countSameKey, findOldestWaiting, type KeyedRun, sameKey } from './same-key.ts';
import { NOW } from './start.ts';

/** The oldest queued runs that only wait for a slot become `running`. */
export async function claimRuns(
  trx: Transaction<Schema>,
  { factory, executor, limit, at, worker, except = [] }: ClaimRequest,
): Promise<Claimed> {
  await openDueGates(trx, factory, at);
  const { ended, cancel } = await admitRuns(trx, factory, at);
  const taken = { state: 'running', executor, started_at: at, error: null, exit_code: null, finished_at: null };
  const claimed: number[] = [];
  while (claimed.length < limit) {
    const candidates = await selectOldest(trx, factory, except, limit - claimed.length);
    if (candidates.length === 0) break;
    for (const run of candidates) {
      const seq = await chooseStart(trx, run, at, ended);
      if (seq === null) continue;
      await trx
        .updateTable('runs')
        .set({ ...taken, ...NOW })
        .where('seq', '=', seq)
        .execute();
      claimed.push(seq);
    }
  }
  const nextAt = claimed.length < limit ? await findNextOpening(trx, factory) : null;
  if (claimed.length === 0) return { inputs: [], nextAt, ended, cancel };
  const rows = await selectRunInputs(trx).where('runs.seq', 'in', claimed).orderBy('runs.seq').execute();
  const started = { state: 'running', executor, worker: worker ?? null, started_at: at };
  await trx
    .insertInto('run_attempts')
    .values(rows.map((run) => ({ run: run.seq, number: run.attempt, ...started, log_offset: beginOf(run.attempt) })))
    .onConflict((requested) => requested.columns(['run', 'number']).doUpdateSet(started))
    .execute();
  return { inputs: rows.map(toRunInput), nextAt, ended, cancel };
}

type Candidate = KeyedRun & { id: string; superseded_by: string | null; concurrency: string | null };

/** The oldest queued runs that only wait for a slot. */
function selectOldest(
  trx: Transaction<Schema>,
  factory: string,
  except: readonly RunId[],
  limit: number,
): Promise<Candidate[]> {
  return (
    trx
      .selectFrom('runs')
      .innerJoin('automation_versions', 'automation_versions.version', 'runs.version')
      .select(['runs.seq', 'runs.id', 'runs.factory', 'runs.automation', 'runs.concurrency_key', 'runs.superseded_by'])
      .select('automation_versions.concurrency')
      .where('runs.factory', '=', factory)
      // Written as in the index `runs_claimable`, which no parameter would match.
      .where(sql<boolean>`runs.state = 'queued' AND runs.gate IS NULL`)
      .$if(except.length > 0, (query) => query.where('runs.id', 'not in', except))
      .orderBy('runs.seq')
      .limit(limit)
      .execute()
  );
}

/** The run to start for a candidate; `null` if none may start, and then it is no candidate any more. */
async function chooseStart(
  trx: Transaction<Schema>,
  run: Candidate,
  at: number,
  ended: RunId[],
): Promise<number | null> {
  if (run.superseded_by !== null) {
    await endRun(trx, { id: run.id, state: 'queued' }, { state: 'cancelled', error: 'superseded', finished_at: at });
    ended.push(run.id as RunId);
    return null;
  }
  if (run.concurrency_key === null) return run.seq;
  const running = await countSameKey(sameKey(trx, run), ['running']);
  if (running >= readTerms(run.concurrency).limit) {
    await trx.updateTable('runs').set({ gate: 'concurrency' }).where('seq', '=', run.seq).execute();
    return null;
  }
  // The definition of this run may allow more than the one that made an older run wait, which then starts first.
  const waiting = await findOldestWaiting(trx, run);
  return waiting !== null && waiting < run.seq ? waiting : run.seq;
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
