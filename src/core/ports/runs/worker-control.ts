import type { RunId } from '../../ids.ts';
import type { Run, RunInput, RunProgress, RunResult } from '../../resources/run.ts';

/**
 * Identifies an attempt that a worker holds. `fence` is the fencing number, which increases with each claim of the run.
 * A worker with an earlier number has lost the run (threat model D7).
 */
export interface Hold {
  id: RunId;
  fence: number;
  /** Does a receiver report, with the token of the attempt? */
  isReceiver?: boolean;
}

/** What a holder sends in addition to the end of its attempt. */
export interface HolderReport {
  /** Output since the last report. */
  log: string;
  /** `null` if it did not change. */
  progress: RunProgress | null;
}

/** Time in which a worker must send its next heartbeat. */
export interface LeaseTerm {
  leaseMs: number;
  /** Wall time, for display. The daemon measures leases with a monotonic clock. */
  expiresAt: number;
}

/** A run that a worker may execute. */
export interface ClaimedRun extends LeaseTerm {
  input: RunInput;
  fence: number;
}

/** `lost`: the worker no longer holds the run; `run` is its current state. */
export type HoldOutcome<T> = ({ outcome: 'held' } & T) | { outcome: 'lost'; run: Run };

/** Control of workers: remote programs that claim runs and hold them under a lease. */
export interface WorkerControl {
  /** Factories whose runs workers execute. The daemon executes the runs of the others. */
  claimable(): ReadonlySet<string>;
  /**
   * Claims up to `limit` queued runs of these factories, oldest first in each, within their concurrency limits. Throws
   * `storage_unavailable` before the leases of an earlier daemon are known.
   */
  claim(request: { factories: readonly string[]; limit: number; worker: string }): Promise<ClaimedRun[]>;
  /**
   * Renews the lease of the holder, and stores what it reports. `null`: the run is unknown. Throws `storage_unavailable` while
   * the daemon is about to send the request of this attempt again.
   */
  heartbeat(hold: Hold, report: HolderReport): Promise<HoldOutcome<LeaseTerm> | null>;
  /** Ends the attempt. A holder that received no response may repeat the request. Otherwise as `heartbeat`. */
  complete(hold: Hold, result: RunResult, log: string): Promise<HoldOutcome<{ run: Run }> | null>;
}
