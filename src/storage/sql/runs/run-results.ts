import { sql, type Transaction } from 'kysely';
import type { RunId } from '../../../domain/ids.ts';
import type { RunResult, RunState } from '../../../domain/resources/run.ts';
import { NO_RESULTS, RECENT_RUNS, type RunResults } from '../../../domain/runs/run-results.ts';
import type { Schema } from '../schema/schema.ts';

/** The columns that `toRunResults` reads. */
export const RESULT_COLUMNS = [
  'automation_results.last_run',
  'automation_results.last_state',
  'automation_results.last_finished_at',
  'automation_results.recent',
  'automation_results.failures',
  'automation_results.failing_since',
] as const;

type ResultRow = Pick<
  Schema['automation_results'],
  'last_run' | 'last_state' | 'last_finished_at' | 'recent' | 'failures' | 'failing_since'
>;

/** Adds the end of a run to the results of its automation, if the automation still exists. */
export async function noteResult(trx: Transaction<Schema>, run: number, state: RunResult['state']): Promise<void> {
  const { mark, failures, since, failingSince } = MARKS[state];
  const total = sql.ref(`${state}_total`);
  const recent = sql`substr(excluded.recent || automation_results.recent, 1, ${sql.lit(RECENT_RUNS)})`;
  await sql`
    INSERT INTO automation_results
      (factory, automation, last_run, last_state, last_finished_at, recent, failures, failing_since, ${total})
    SELECT runs.factory, runs.automation, runs.id, runs.state, runs.finished_at, ${mark}, ${sql.lit(failures)}, ${since}, 1
    FROM runs JOIN automations ON automations.factory = runs.factory AND automations.name = runs.automation
    WHERE runs.seq = ${run}
    ON CONFLICT (factory, automation) DO UPDATE SET
      last_run = excluded.last_run, last_state = excluded.last_state, last_finished_at = excluded.last_finished_at,
      recent = ${recent}, failures = length(replace(${recent}, 's', '')), failing_since = ${failingSince},
      ${total} = automation_results.${total} + 1
  `.execute(trx);
}

/** How each end of a run changes the results. A cancelled run changes only the last run. */
const MARKS = {
  succeeded: { mark: 's', failures: 0, since: sql`CAST(NULL AS bigint)`, failingSince: sql`CAST(NULL AS bigint)` },
  failed: {
    mark: 'f',
    failures: 1,
    since: sql`runs.finished_at`,
    failingSince: sql`coalesce(automation_results.failing_since, excluded.failing_since)`,
  },
  cancelled: {
    mark: '',
    failures: 0,
    since: sql`CAST(NULL AS bigint)`,
    failingSince: sql`automation_results.failing_since`,
  },
} as const;

/** @param row its columns are `null` if no run of the automation has ended */
export function toRunResults(row: { [Column in keyof ResultRow]: ResultRow[Column] | null }): RunResults {
  const { last_run: id, last_state, last_finished_at: finishedAt, recent, failures, failing_since } = row;
  if (id === null || finishedAt === null || recent === null) return NO_RESULTS;
  return {
    lastRun: { id: id as RunId, state: last_state as RunState, finishedAt },
    recent: recent.length,
    recentFailed: failures ?? 0,
    failedInARow: /^f*/.exec(recent)![0].length,
    failingSince: failing_since,
  };
}
