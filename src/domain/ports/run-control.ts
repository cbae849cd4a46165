import type { Actor } from '../access/access.ts';
import type { RunId } from '../ids.ts';
import type { Run, RunResult } from '../resources/run.ts';
import type { RetryOutcome } from './run-queue.ts';

export const WAIT_REASONS = [
  'starting',
  'recovering',
  'stopping',
  'draining',
  'start_failed',
  'paused',
  'backoff',
  'debounce',
  'budget',
  'concurrency_key',
  'concurrency_limit',
  'no_worker',
  'no_matching_worker',
  'no_executor',
  'factory_not_configured',
] as const;

/** Why a queued run has not started. */
export interface WaitReason {
  reason: (typeof WAIT_REASONS)[number];
  /** The reason as a sentence, with the action to take. */
  text: string;
}

/** What decides why a queued run waits. */
export type WaitingRun = Pick<
  Run,
  'factory' | 'automation' | 'attempt' | 'gate' | 'notBefore' | 'concurrencyKey' | 'runsOn'
>;

/** Control of runs for the API. */
export interface RunControl {
  /**
   * Cancels a run. A queued run and a run held by a worker end immediately. A command is stopped by ending its process
   * group (`cancelling`: it ends soon). `finished`: the run had already ended, and nothing changed.
   */
  cancel(id: RunId): Promise<'cancelled' | 'cancelling' | 'finished' | 'not_found'>;
  /** Queues a finished run again as its next attempt; see `RunQueue.retry`. */
  retry(id: RunId, requestedBy: Actor): Promise<RetryOutcome>;
  /** Why this queued run waits now. Does not read from disk. */
  explainWait(run: WaitingRun): WaitReason;
}

/** Follows the attempts of runs, for metrics and traces. Its operations do not throw. */
export interface RunObserver {
  /** The attempt was claimed at `run.startedAt`, after it was queued at `queuedAt`. Times are wall time in milliseconds. */
  onClaimed(run: Run, queuedAt: number): void;
  /** The attempt that was claimed ended, and its end is stored. */
  onEnded(run: Run, result: RunResult, at: number): void;
}

/** For runs that nobody follows. */
export const UNOBSERVED: RunObserver = { onClaimed: () => {}, onEnded: () => {} };
