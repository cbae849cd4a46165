import type { Kysely } from 'kysely';
import type { Retention } from '../../../core/ports/retention.ts';
import type { Schema } from '../schema/schema.ts';
import { findMark, writeMark } from './mark.ts';
import { beginPass, type Piece, type Step } from './pass.ts';
import { pruneAudit, pruneLoginLinks, pruneSessions } from './prune-access.ts';
import { pruneDeliveries, pruneIdentities, pruneRuns } from './prune-deliveries.ts';
import { pruneNotices, pruneReconciliations } from './prune-reconciliations.ts';
import { pruneCounts, pruneHandshakes } from './prune-traffic.ts';
import { pruneAutomationVersions, pruneSecretVersions, spareVersionsInUse } from './prune-versions.ts';

/** Rows that one piece looks at: a few milliseconds of the storage thread, also on a slow disk. */
const MAX_PIECE_ROWS = 500;
/** A piece that found no room on the disk is tried again with so many times fewer rows. */
const PIECE_STEP = 8;

const STEPS: readonly Step[] = [
  pruneDeliveries,
  pruneIdentities,
  pruneCounts,
  pruneHandshakes,
  pruneRuns,
  pruneReconciliations,
  pruneNotices,
  pruneSessions,
  pruneLoginLinks,
  pruneAudit,
  spareVersionsInUse,
  pruneAutomationVersions,
  pruneSecretVersions,
];

/**
 * Removes what is too old. One pass walks each table from its front in pieces and remembers where it stands between
 * the calls, so that rows which have to stay at the front are looked at once a pass and not once a piece.
 *
 * Removing rows also writes to the write-ahead log. If a piece finds no room on the disk, the log is emptied and the
 * piece is tried again with fewer rows, down to one.
 *
 * @param disk how a full disk is recognized, and what to do about it before the piece is retried with fewer rows
 */
export function createRetention(
  db: Kysely<Schema>,
  disk: { isFull(error: unknown): boolean; makeRoom(): void },
): Omit<Retention, 'reclaim'> {
  let pass = beginPass(null);
  let pieceRows = MAX_PIECE_ROWS;
  return {
    lastMark: () => findMark(db),
    noteMark: (mark) => writeMark(db, mark),
    prune: async (policy, nowMs) => {
      for (;;) {
        try {
          const piece = await prunePiece({ db, policy, nowMs, pass, limit: pieceRows });
          if (!piece.more) pass = beginPass(pass);
          pieceRows = Math.min(MAX_PIECE_ROWS, pieceRows * 2);
          return piece;
        } catch (error) {
          // It has moved past the rows that it could not remove.
          pass = beginPass(null);
          if (!disk.isFull(error) || pieceRows === 1) throw error;
          disk.makeRoom();
          pieceRows = Math.ceil(pieceRows / PIECE_STEP);
        }
      }
    },
  };
}

async function prunePiece(parts: Omit<Piece, 'removedRuns'>): Promise<{ more: boolean; removedRuns: string[] }> {
  const { pass } = parts;
  const removedRuns: string[] = [];
  let { limit } = parts;
  while (pass.step < STEPS.length) {
    const done = await STEPS[pass.step]!({ ...parts, limit, removedRuns });
    limit -= done.rows;
    if (limit === 0) return { more: true, removedRuns };
    pass.step += 1;
    pass.afterSeq = 0;
  }
  return { more: false, removedRuns };
}
