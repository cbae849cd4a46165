import type { Run, RunResult } from '../../resources/run.ts';

/** Follows the attempts of runs, for metrics and traces. Its operations do not throw. */
export interface RunObserver {
  /** The attempt was claimed at `run.startedAt`, after it was queued at `queuedAt`. Times are wall time in milliseconds. */
  onClaimed(run: Run, queuedAt: number): void;
  /** The attempt that was claimed ended, and its end is stored. */
  onEnded(run: Run, result: RunResult, at: number): void;
}

/** For runs that nobody follows. */
export const UNOBSERVED: RunObserver = { onClaimed: () => {}, onEnded: () => {} };
