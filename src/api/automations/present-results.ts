import type { RunResults } from '../../domain/runs/run-results.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { presentInstant } from '../server/instants.ts';

/** How the last runs of an automation ended. */
export function presentResults({ lastRun, recent, recentFailed, failedInARow, failingSince }: RunResults) {
  return {
    last_run: lastRun && { id: lastRun.id, state: lastRun.state, finished_at: formatInstant(lastRun.finishedAt) },
    recent_runs: recent,
    recent_failed: recentFailed,
    failed_in_a_row: failedInARow,
    failing_since: presentInstant(failingSince),
  };
}
