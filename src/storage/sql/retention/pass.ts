import type { Kysely } from 'kysely';
import type { RetentionPolicy } from '../../../domain/ports/operations.ts';
import type { ClaimRetention } from '../deliveries/claim-finder.ts';
import type { Schema } from '../schema/schema.ts';

/** One pass over all tables, with its position between the pieces. */
export interface Pass {
  /** Index into `STEPS`. */
  step: number;
  /** The number of the row after which the step continues. */
  afterSeq: number;
  /** For each webhook, the number of the oldest entry that `minDeliveries` keeps. It can only rise. */
  readonly floors: Map<number, number>;
  /**
   * Versions of automations that are no longer in use. The next pass removes them. This pass must not: a request may
   * still use the definition that was just replaced.
   */
  readonly retired: Set<number>;
  readonly retiredBefore: Set<number>;
  /** The same for revisions whose agent files are stored, by `keyOfRevision`. */
  readonly retiredRevisions: Set<string>;
  readonly retiredRevisionsBefore: Set<string>;
}

export function keyOfRevision(factory: string, revision: string): string {
  return JSON.stringify([factory, revision]);
}

export function beginPass(before: Pass | null): Pass {
  return {
    step: 0,
    afterSeq: 0,
    floors: new Map(),
    retired: new Set(),
    retiredBefore: before?.retired ?? new Set(),
    retiredRevisions: new Set(),
    retiredRevisionsBefore: before?.retiredRevisions ?? new Set(),
  };
}

/** For an attempt that may fail. */
export function copyPass(pass: Pass): Pass {
  return {
    ...pass,
    floors: new Map(pass.floors),
    retired: new Set(pass.retired),
    retiredBefore: new Set(pass.retiredBefore),
    retiredRevisions: new Set(pass.retiredRevisions),
    retiredRevisionsBefore: new Set(pass.retiredRevisionsBefore),
  };
}

/** The input of one step for one piece. */
export interface Piece {
  db: Kysely<Schema>;
  claims: ClaimRetention;
  policy: RetentionPolicy;
  nowMs: number;
  limit: number;
  pass: Pass;
  /** The step adds the runs that it removed. */
  removedRuns: string[];
}

/** Processes up to `limit` rows and returns their number. Fewer than `limit` rows mean that the step is finished. */
export type PruneStep = (piece: Piece) => Promise<{ rows: number }>;

/**
 * Takes the next rows up to the first that is not expired yet, and returns their number and the expired ones. A row
 * from the future (the clock was set back) remains, and expired rows after it are still found.
 */
export function takeExpired<Row extends { seq: number; at: number }>(
  rows: readonly Row[],
  oldestKept: number,
  nowMs: number,
  pass: Pass,
): { rows: number; expired: Row[] } {
  const firstKept = rows.findIndex((row) => row.at >= oldestKept && row.at <= nowMs);
  const taken = firstKept === -1 ? rows : rows.slice(0, firstKept);
  pass.afterSeq = taken[taken.length - 1]?.seq ?? pass.afterSeq;
  return { rows: taken.length, expired: taken.filter((row) => row.at < oldestKept) };
}
