import type { Kysely } from 'kysely';
import type { RetentionPolicy } from '../../../core/ports/retention.ts';
import type { Schema } from '../schema/schema.ts';

/** One walk over all tables, and where it stands between the pieces. */
export interface Pass {
  /** Index into `STEPS`. */
  step: number;
  /** Number of the row after which the step goes on. */
  afterSeq: number;
  /** Per webhook the number of the oldest entry that stays for the sake of `minDeliveries`; it can only rise. */
  readonly floors: Map<number, number>;
  /**
   * Versions of automations and of secrets that nothing names any more: the pass after this one may remove them. Not
   * this one, since a request may still hold the definition that was live a moment ago, and an apply the secret that
   * was the newest when it began.
   */
  readonly retired: Set<number>;
  readonly unpinned: Set<string>;
  readonly retiredBefore: Set<number>;
  readonly unpinnedBefore: Set<string>;
}

export function beginPass(before: Pass | null): Pass {
  return {
    step: 0,
    afterSeq: 0,
    floors: new Map(),
    retired: new Set(),
    unpinned: new Set(),
    retiredBefore: before?.retired ?? new Set(),
    unpinnedBefore: before?.unpinned ?? new Set(),
  };
}

/** What one step may do in one piece. */
export interface Piece {
  db: Kysely<Schema>;
  policy: RetentionPolicy;
  nowMs: number;
  limit: number;
  pass: Pass;
  /** Filled with the runs that a step removed. */
  removedRuns: string[];
}

/** Works through up to `limit` rows and answers how many they were: fewer where the step has come to its end. */
export type Step = (piece: Piece) => Promise<{ rows: number }>;

/**
 * Of the next rows of a table that grows at its end, those before the first young one, and of these the old ones.
 * A row from the future (a clock was set back since) is neither: it stays, and hides no old row behind it.
 */
export function walkOld<Row extends { seq: number; at: number }>(
  rows: readonly Row[],
  oldestKept: number,
  nowMs: number,
  pass: Pass,
): { rows: number; old: Row[] } {
  const young = rows.findIndex((row) => row.at >= oldestKept && row.at <= nowMs);
  const walked = young === -1 ? rows : rows.slice(0, young);
  pass.afterSeq = walked[walked.length - 1]?.seq ?? pass.afterSeq;
  return { rows: walked.length, old: walked.filter((row) => row.at < oldestKept) };
}
