import type { RunId } from '../ids.ts';
import type { Run, RunInput, RunProgress, RunResult } from '../resources/run.ts';
import type { WorkerCheckout } from '../runs/workspace.ts';
import type { SecretValue } from '../secrets/secret-value.ts';

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

/** New output of a run. */
export interface NewOutput {
  log: string;
  /**
   * Position of the text in the output of the attempt, in bytes, so that a repeated text is ignored. `null` or omitted:
   * append it.
   */
  logOffset?: number | null;
}

/** What a holder sends in addition to the end of its attempt. */
export interface HolderReport extends NewOutput {
  /** The worker that reports. Omitted for a receiver. */
  worker?: WorkerCaller;
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
  /** Maximum duration of the attempt. */
  timeoutMs: number;
  /** Team secrets that the automation lists, by name; `null` if the claim did not ask for them. */
  secrets: ReadonlyMap<string, SecretValue> | null;
  /** What the worker checks out for the run; `null` without a workspace, or if the claim did not ask for secrets. */
  checkout: WorkerCheckout | null;
}

/** What a worker states about itself. */
interface WorkerDescription {
  /** Identifies the worker among those with the same token; `null` for the only one. */
  id: string | null;
  name: string;
  labels: readonly string[];
  version: string | null;
  concurrency: number | null;
}

/** A worker that sends a request. */
export interface WorkerCaller extends WorkerDescription {
  /** Name of its token or user. */
  token: string;
}

export interface ClaimOrder {
  factories: readonly string[];
  limit: number;
  worker: WorkerCaller;
  /** Time to wait for a run if none can be claimed now. */
  waitMs: number;
  /** Aborted when the worker has disconnected. */
  signal: AbortSignal;
  /** All runs that the worker holds. Runs that it holds and does not list are interrupted. `null`: it does not know. */
  holding: readonly Hold[] | null;
  withSecrets: boolean;
}

/** `lost`: the worker no longer holds the run; `run` is its current state. */
export type HoldOutcome<T> = ({ outcome: 'held' } & T) | { outcome: 'lost'; run: Run };

/** A run that a worker holds. */
type HeldRun = Pick<Run, 'id' | 'factory' | 'automation' | 'attempt' | 'startedAt'>;

/** A worker that has sent a request since the daemon started. */
export interface KnownWorker extends WorkerCaller {
  /** Does it wait for runs, or has it sent a request in the last 90 seconds? */
  isOnline: boolean;
  /** Wall time of its last request. */
  lastSeenAt: number;
  /** Factories whose runs it asked for. */
  factories: readonly string[];
  runs: HeldRun[];
}

/** Control of workers: remote programs that claim runs and hold them under a lease. */
export interface WorkerControl {
  /** Factories whose runs workers execute. The daemon executes the runs of the others. */
  claimable(): ReadonlySet<string>;
  /**
   * Claims up to `limit` queued runs of these factories, oldest first in each, within their concurrency limits. Waits for one
   * if none is queued. Throws `storage_unavailable` before the leases of an earlier daemon are known, and
   * `too_many_requests` if too many workers wait.
   */
  claim(order: ClaimOrder): Promise<ClaimedRun[]>;
  /**
   * Renews the lease of the holder, and stores what it reports. `null`: the run is unknown. Throws `storage_unavailable` while
   * the daemon is about to send the request of this attempt again.
   */
  heartbeat(hold: Hold, report: HolderReport): Promise<HoldOutcome<LeaseTerm> | null>;
  /** Records that the worker is about to start the attempt. An attempt with this record is not given to another worker. */
  start(hold: Hold): Promise<HoldOutcome<LeaseTerm> | null>;
  /** Ends the attempt. A holder that received no response may repeat the request. Otherwise as `heartbeat`. */
  complete(hold: Hold, result: RunResult, output: NewOutput): Promise<HoldOutcome<{ run: Run }> | null>;
  /** Queues a run again that its worker has not started, as its next attempt. Throws `conflict` if it was started. */
  handBack(hold: Hold, reason: string): Promise<HoldOutcome<{ run: Run }> | null>;
  /** The workers that are known, by name. */
  list(): KnownWorker[];
}
