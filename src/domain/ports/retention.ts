import type { RetentionMark } from '../retention-time.ts';

/** Retention periods in milliseconds. */
export interface RetentionPolicy {
  deliveriesMs: number;
  /** Number of most recent entries that each webhook keeps regardless of age. */
  minDeliveries: number;
  identitiesMs: number;
  runsMs: number;
  auditMs: number;
  /** How long a version of a secret is kept after its last use. */
  secretVersionsMs: number;
}

/** Removes expired rows in small batches, so that deliveries are not delayed. */
export interface Retention {
  /**
   * Removes at most a few hundred rows. `more`: another batch is due. `removedRuns`: runs whose files can be deleted.
   */
  prune(policy: RetentionPolicy, nowMs: number): Promise<{ more: boolean; removedRuns: string[] }>;
  /**
   * The mark of the last pass. If none was recorded yet, the mark of the most recent row; `null` if nothing is stored.
   */
  lastMark(): Promise<RetentionMark | null>;
  noteMark(mark: RetentionMark): Promise<void>;
  /**
   * Returns part of the free space in the database to the file system, if there is much of it or the disk is nearly
   * full. `more`: another part is due.
   */
  reclaim(): Promise<{ more: boolean }>;
}
