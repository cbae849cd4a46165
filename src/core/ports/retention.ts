import type { RetentionMark } from '../retention-time.ts';

/** How long things are kept, in milliseconds. */
export interface RetentionPolicy {
  deliveriesMs: number;
  /** The newest so many entries of each webhook stay, whatever their age. */
  minDeliveries: number;
  identitiesMs: number;
  runsMs: number;
  auditMs: number;
}

/** Removal of what is too old, in small pieces so that no delivery waits for it. */
export interface Retention {
  /** Removes at most a few hundred rows. `more` where another piece is due; `runs` lists the runs whose files may go. */
  prune(policy: RetentionPolicy, nowMs: number): Promise<{ more: boolean; removedRuns: string[] }>;
  /** Of the last pass; of the newest row if none was noted yet, and `null` if nothing is stored. */
  lastMark(): Promise<RetentionMark | null>;
  noteMark(mark: RetentionMark): Promise<void>;
  /**
   * Gives a piece of the space that removed rows left back to the file system, if there is much of it or the disk is
   * nearly full. `more` where another piece is due.
   */
  reclaim(): Promise<{ more: boolean }>;
}
