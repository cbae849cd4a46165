import type { Transaction } from 'kysely';
import type { RunId } from '../../../domain/ids.ts';
import type { Admitted } from '../../../domain/ports/run-queue.ts';
import { type ConcurrencyTerms, readConcurrencyTerms, readDebounceMs } from '../../../domain/runs/run-policy.ts';
import type { Schema } from '../schema/schema.ts';
import { AUTOMATION_VERSIONS } from '../schema/tables.ts';
import { endRun } from './change-run.ts';
import { countUpTo, isCrowded, type KeyedRun, sameKey } from './same-key.ts';
import { NOW } from './start.ts';

/**
 * A run whose policy has not been applied yet, with `concurrency` and `debounce` of the version that was live when it was
 * created. `not_before`: the end of its quiet time, if that has passed.
 */
type ArrivedRun = KeyedRun & {
  id: string;
  created_at: number;
  not_before: number | null;
  concurrency: string | null;
  debounce: string | null;
};

/**
 * Applies `debounce` and `concurrency` to the runs that have arrived since the last call, in their order. What a crash
 * leaves is applied by the next call.
 */
export async function admitRuns(trx: Transaction<Schema>, factory: string, at: number): Promise<Admitted> {
  const admitted: Admitted = { ended: [], cancel: [] };
  const arrived = await trx
    .selectFrom('runs')
    .innerJoin('automation_versions', 'automation_versions.version', 'runs.version')
    .select(['runs.seq', 'runs.id', 'runs.factory', 'runs.automation', 'runs.concurrency_key'])
    .select(['runs.created_at', 'runs.not_before'])
    .select(['automation_versions.concurrency', 'automation_versions.debounce'])
    .where('runs.factory', '=', factory)
    .where('runs.gate', '=', 'arrived')
    .orderBy('runs.seq')
    .execute();
  for (const run of arrived) {
    if (run.debounce !== null && run.not_before === null) await debounce(trx, run, run.debounce, at, admitted);
    else await admit(trx, run, at, admitted);
  }
  return admitted;
}

/** Begins the quiet time of the key again. The run replaces the one whose quiet time had not passed when it was created. */
async function debounce(
  trx: Transaction<Schema>,
  run: ArrivedRun,
  quietTime: string,
  at: number,
  admitted: Admitted,
): Promise<void> {
  const waiting = await older(trx, run)
    .select(['runs.id', 'runs.state'])
    .where('runs.state', '=', 'queued')
    .where('runs.gate', '=', 'debounce')
    // While no slot is free, no claim opens the gate of a run whose quiet time has passed.
    .where('runs.not_before', '>', run.created_at)
    .execute();
  await replace(trx, run, waiting, at, admitted);
  await trx
    .updateTable('runs')
    .set({ gate: 'debounce', not_before: run.created_at + readDebounceMs(quietTime) })
    .where('seq', '=', run.seq)
    .execute();
}

async function admit(trx: Transaction<Schema>, run: ArrivedRun, at: number, admitted: Admitted): Promise<void> {
  const terms = readTerms(run.concurrency);
  if (terms === null) return pass(trx, run);
  if (terms.mode === 'skip' && (await countUpTo(unfinished(trx, run), terms.limit)) >= terms.limit) {
    await endRun(trx, { id: run.id, state: 'queued' }, { state: 'cancelled', error: 'skipped', finished_at: at });
    admitted.ended.push(run.id as RunId);
    return;
  }
  if (terms.mode === 'latest') await supersede(trx, run, terms, at, admitted);
  if (!(await isCrowded(trx, run, terms.limit))) return pass(trx, run);
  await trx.updateTable('runs').set({ gate: 'concurrency', not_before: null }).where('seq', '=', run.seq).execute();
}

/** From now on, the run only waits for a slot. */
async function pass(trx: Transaction<Schema>, run: ArrivedRun): Promise<void> {
  await trx.updateTable('runs').set(NOW).where('seq', '=', run.seq).execute();
}

/** `concurrency` with its defaults, from its column; `null` without a limit. */
export function readTerms(concurrency: string | null): ConcurrencyTerms | null {
  const policy = concurrency === null ? null : AUTOMATION_VERSIONS.decode('concurrency', concurrency);
  return policy === null ? null : readConcurrencyTerms(policy);
}

/** Ends the queued runs with the same key, and marks the running ones if they are to be cancelled. */
async function supersede(
  trx: Transaction<Schema>,
  run: ArrivedRun,
  terms: ConcurrencyTerms,
  at: number,
  admitted: Admitted,
): Promise<void> {
  const states = terms.cancelRunning ? (['queued', 'running'] as const) : (['queued'] as const);
  const replaced = await older(trx, run)
    .select(['runs.id', 'runs.state'])
    .where('runs.state', 'in', states)
    .where('runs.superseded_by', 'is', null)
    .execute();
  await replace(trx, run, replaced, at, admitted);
}

async function replace(
  trx: Transaction<Schema>,
  run: ArrivedRun,
  replaced: readonly { id: string; state: string }[],
  at: number,
  admitted: Admitted,
): Promise<void> {
  for (const { id, state } of replaced) {
    await trx.updateTable('runs').set({ superseded_by: run.id }).where('id', '=', id).execute();
    if (state === 'running') admitted.cancel.push(id as RunId);
    else {
      await endRun(trx, { id, state: 'queued' }, { state: 'cancelled', error: 'superseded', finished_at: at });
      admitted.ended.push(id as RunId);
    }
  }
}

/** The older runs with the same key that have not ended. */
function unfinished(trx: Transaction<Schema>, run: ArrivedRun) {
  return older(trx, run).where('runs.state', 'in', ['queued', 'running']);
}

function older(trx: Transaction<Schema>, run: ArrivedRun) {
  return sameKey(trx, run).where('runs.seq', '<', run.seq);
}
