import type { RunId } from '../../ids.ts';
import type { RetryOutcome } from './run-queue.ts';

export const WAIT_REASONS = [
  'starting',
  'recovering',
  'stopping',
  'start_failed',
  'concurrency_limit',
  'no_worker',
  'no_executor',
  'factory_not_configured',
] as const;

/** Why the queued runs of a factory have not started. */
export interface WaitReason {
  reason: (typeof WAIT_REASONS)[number];
  /** The same for people, with what to do about it. */
  text: string;
}

/** The running of runs as front doors see it. */
export interface RunControl {
  /**
   * Cancels a run: a queued one, and one that a worker holds, at once; a command by stopping its process group
   * (`cancelling`: it ends soon).
   * `finished`: it had ended before; nothing changed.
   */
  cancel(id: RunId): Promise<'cancelled' | 'cancelling' | 'finished' | 'not_found'>;
  /** Has a run that has ended carried out once more, as its next attempt; see `RunQueue.retry`. */
  retry(id: RunId): Promise<RetryOutcome>;
  /** Why queued runs of this factory wait at this moment. Looks at nothing on disk. */
  explainWait(factory: string): WaitReason;
}
