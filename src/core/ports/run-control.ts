import type { RunId } from '../ids.ts';

/** The running of runs as front doors see it. */
export interface RunControl {
  /**
   * Cancels a run: a queued one at once, a running one by stopping its process group (`cancelling`: it ends soon).
   * `finished`: it had ended before; nothing changed.
   */
  cancel(id: RunId): Promise<'cancelled' | 'cancelling' | 'finished' | 'not_found'>;
}
