import type { RunId } from '../ids.ts';
import type { RetryOutcome } from './run-queue.ts';

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
}
