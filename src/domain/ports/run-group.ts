import type { RunId } from '../ids.ts';

/**
 * The daemons that execute runs of one storage, as one of them sees them. Each holds a lease for the runs of its machine, which
 * it renews with its signs of life. When the lease ends, others may start the runs again.
 */
export interface RunGroup {
  /** As `OfAttempt.machine`; `null` if the storage belongs to this daemon alone. */
  readonly machine: string | null;
  /** May this daemon start runs, and execute those that it started? */
  isLeaseHeld(): boolean;
  /** Calls back when the lease is about to end, or has ended. Every command has to end within `graceMs`. */
  onLeaseLost(listener: (graceMs: number) => void): void;
  /** Calls back when the lease is held for the first time, or again. */
  onLeaseHeld(listener: () => void): void;
  /** Number of daemons that share the runs. At least 1. */
  size(): number;
  /** The machines whose lease has not ended. */
  liveMachines(): Promise<ReadonlySet<string>>;
  /** Orders the daemon that executes this attempt to cancel it. */
  orderCancel(run: RunId, attempt: number): Promise<void>;
  /** Those of these attempts that somebody ordered to cancel. */
  cancelOrders(runs: readonly { id: RunId; attempt: number }[]): Promise<RunId[]>;
}

/** The group of a daemon with its own storage: nobody else executes its runs. */
export const LONE_RUN_GROUP: RunGroup = {
  machine: null,
  isLeaseHeld: () => true,
  onLeaseLost: () => {},
  onLeaseHeld: (listener) => listener(),
  size: () => 1,
  liveMachines: async () => new Set(),
  orderCancel: async () => {},
  cancelOrders: async () => [],
};
