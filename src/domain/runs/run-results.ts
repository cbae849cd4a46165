import type { RunId } from '../ids.ts';
import type { RunState } from '../resources/run.ts';

/** Number of ended runs that the results of an automation cover. */
export const RECENT_RUNS = 20;
/** With this number of failed runs in a row, an automation is failing. */
export const MIN_FAILED_IN_A_ROW = 3;

/**
 * How the last runs of an automation ended. A run that was retried counts each time it ended. A cancelled run counts only as
 * the last one. The results outlive the runs, and end with the automation.
 */
export interface RunResults {
  /** The run that ended last; `null` if none has. */
  lastRun: { id: RunId; state: RunState; finishedAt: number } | null;
  /** Number of runs that are counted, at most `RECENT_RUNS`. */
  recent: number;
  /** Number of them that failed. */
  recentFailed: number;
  /** Number of the last runs that all failed, at most `RECENT_RUNS`. */
  failedInARow: number;
  /** Wall time at which the first of these ended; `null` if the last run did not fail. */
  failingSince: number | null;
}

/** The results of an automation without ended runs. */
export const NO_RESULTS: RunResults = {
  lastRun: null,
  recent: 0,
  recentFailed: 0,
  failedInARow: 0,
  failingSince: null,
};
