import type { Transaction } from 'kysely';
import type { ClaimRequest } from '../../../domain/ports/run-queue.ts';
import { hasAllLabels } from '../../../domain/runs/worker-labels.ts';
import type { Schema } from '../schema/schema.ts';
import { RUNS } from '../schema/tables.ts';
import type { KeyedRun } from './same-key.ts';
import { isClaimable, needs } from './start.ts';

/** A queued run that only waits for a slot. */
export type Candidate = KeyedRun & {
  id: string;
  superseded_by: string | null;
  concurrency: string | null;
  budget: string | null;
  runs_on: string | null;
};

/**
 * How a claim keeps the runs that it reads from others. `skip`: it locks them, and skips those that others have
 * locked. `none`: nobody else changes the database at the same time.
 */
export type ClaimLock = 'skip' | 'none';

interface Wanted extends Pick<ClaimRequest, 'factory' | 'labels' | 'except'> {
  lock: ClaimLock;
}

/** The oldest queued runs that only wait for a slot, and need no other labels than the worker has. */
export async function selectOldest(trx: Transaction<Schema>, wanted: Wanted, limit: number): Promise<Candidate[]> {
  const found: Candidate[] = [];
  // One query for each list of labels: each reads only its own runs from the index.
  for (const runsOn of await listServed(trx, wanted)) found.push(...(await selectWith(trx, runsOn, wanted, limit)));
  return found.sort((a, b) => a.seq - b.seq).slice(0, limit);
}

/** The lists of labels that queued runs need, and the worker has. */
async function listServed(trx: Transaction<Schema>, { factory, labels = [] }: Wanted): Promise<(string | null)[]> {
  if (labels.length === 0) return [null];
  const rows = await trx
    .selectFrom('runs')
    .select('runs_on')
    .distinct()
    .where('factory', '=', factory)
    .where('runs_on', 'is not', null)
    .where(isClaimable())
    .execute();
  const needed = rows.map(({ runs_on }) => runs_on);
  return [null, ...needed.filter((runsOn) => hasAllLabels(labels, readLabels(runsOn)))];
}

function readLabels(runsOn: string | null): string[] | null {
  return runsOn === null ? null : RUNS.decode('runsOn', runsOn);
}

function selectWith(
  trx: Transaction<Schema>,
  runsOn: string | null,
  { factory, except = [], lock }: Wanted,
  limit: number,
): Promise<Candidate[]> {
  return trx
    .selectFrom('runs')
    .innerJoin('automation_versions', 'automation_versions.version', 'runs.version')
    .select(['runs.seq', 'runs.id', 'runs.factory', 'runs.automation', 'runs.concurrency_key', 'runs.superseded_by'])
    .select(['runs.runs_on', 'automation_versions.concurrency', 'automation_versions.budget'])
    .where('runs.factory', '=', factory)
    .where((run) => needs(run, runsOn))
    .where(isClaimable())
    .$if(except.length > 0, (query) => query.where('runs.id', 'not in', except))
    .orderBy('runs.seq')
    .limit(limit)
    .$if(lock === 'skip', (query) => query.forUpdate('runs').skipLocked())
    .execute();
}
