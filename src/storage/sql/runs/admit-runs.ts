import type { Transaction } from 'kysely';
import type { RunId } from '../../../core/ids.ts';
import type { Admitted } from '../../../core/ports/runs/run-queue.ts';
import { type ConcurrencyTerms, readConcurrencyTerms } from '../../../core/run-policy.ts';
import type { Schema } from '../schema/schema.ts';
import { AUTOMATION_VERSIONS } from '../schema/tables.ts';
import { endRun } from './change-run.ts';
import { countSameKey, type KeyedRun, sameKey } from './same-key.ts';
import { NOW } from './start.ts';

/** A run whose policy has not been applied yet, with `concurrency` of the version that was live when it was created. */
type ArrivedRun = KeyedRun & { id: string; concurrency: string | null };

/**
 * Applies `concurrency` to the runs that have arrived since the last call, in their order. What a crash leaves is applied
 * by the next call.
 */
export async function admitRuns(trx: Transaction<Schema>, factory: string, at: number): Promise<Admitted> {
  const admitted: Admitted = { ended: [], cancel: [] };
  const arrived = await trx
    .selectFrom('runs')
    .innerJoin('automation_versions', 'automation_versions.version', 'runs.version')
    .select(['runs.seq', 'runs.id', 'runs.factory', 'runs.automation', 'runs.concurrency_key'])
    .select('automation_versions.concurrency')
    .where('runs.factory', '=', factory)
    .where('runs.gate', '=', 'arrived')
    .orderBy('runs.seq')
    .execute();
  for (const run of arrived) await admit(trx, run, at, admitted);
  return admitted;
}

async function admit(trx: Transaction<Schema>, run: ArrivedRun, at: number, admitted: Admitted): Promise<void> {
  const terms = readTerms(run.concurrency);
  if (terms.mode === 'skip' && (await countSameKey(older(trx, run), ['queued', 'running'])) >= terms.limit) {
    await endRun(trx, { id: run.id, state: 'queued' }, { state: 'cancelled', error: 'skipped', finished_at: at });
    admitted.ended.push(run.id as RunId);
    return;
  }
  if (terms.mode === 'latest') await supersede(trx, run, terms, at, admitted);
  await trx.updateTable('runs').set(NOW).where('seq', '=', run.seq).execute();
}

/** `concurrency` with its defaults, from its column. */
export function readTerms(concurrency: string | null): ConcurrencyTerms {
  const policy = concurrency === null ? {} : AUTOMATION_VERSIONS.decode('concurrency', concurrency);
  return readConcurrencyTerms(policy ?? {});
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
  for (const { id, state } of replaced) {
    await trx.updateTable('runs').set({ superseded_by: run.id }).where('id', '=', id).execute();
    if (state === 'running') admitted.cancel.push(id as RunId);
    else {
      await endRun(trx, { id, state: 'queued' }, { state: 'cancelled', error: 'superseded', finished_at: at });
      admitted.ended.push(id as RunId);
    }
  }
}

function older(trx: Transaction<Schema>, run: ArrivedRun) {
  return sameKey(trx, run).where('runs.seq', '<', run.seq);
}
