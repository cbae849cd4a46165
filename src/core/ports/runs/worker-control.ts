import type { RunId } from '../../ids.ts';
import type { Run, RunInput, RunResult } from '../../resources/run.ts';

/**
 * What names an attempt that a worker holds. The fence is the fencing number: it grows each time the run is given out,
 * so whoever comes with an earlier one has lost the run, however late (threat model D7).
 */
export interface Hold {
  id: RunId;
  fence: number;
}

/** How long a worker may be silent from now on. */
export interface LeaseTerm {
  leaseMs: number;
  /** Wall time, for people; the daemon itself measures by a clock that nobody can set. */
  expiresAt: number;
}

/** A run that a worker may carry out. */
export interface ClaimedRun extends LeaseTerm {
  input: RunInput;
  fence: number;
}

/** `lost`: the run is not this worker's any more; `run` says what became of it. */
export type HoldOutcome<T> = ({ outcome: 'held' } & T) | { outcome: 'lost'; run: Run };

/** The work of workers: programs anywhere that pull runs and hold them under a lease. */
export interface WorkerControl {
  /** Factories whose runs workers carry out; those of the others are the daemon's own business. */
  claimable(): ReadonlySet<string>;
  /**
   * Gives out up to `limit` queued runs of these factories, oldest first in each, as many as their concurrency allows.
   * Throws `storage_unavailable` before the leases of an earlier daemon are known.
   */
  claim(request: { factories: readonly string[]; limit: number }): Promise<ClaimedRun[]>;
  /** The worker lives: its lease begins anew. `log` is added to the log of the run. `null`: there is no such run. */
  heartbeat(hold: Hold, log: string): Promise<HoldOutcome<LeaseTerm> | null>;
  /**
   * Ends the attempt. A worker that did not hear the answer may say the same once more. `null`: there is no such run.
   */
  complete(hold: Hold, result: RunResult, log: string): Promise<HoldOutcome<{ run: Run }> | null>;
}
