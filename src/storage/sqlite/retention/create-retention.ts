import type { Kysely } from 'kysely';
import type { Retention } from '../../../core/ports/retention.ts';
import type { Schema } from '../schema.ts';
import { findMark, writeMark } from './mark.ts';
import { beginPass, type Piece, type Step } from './pass.ts';
import { pruneAudit, pruneLoginLinks, pruneSessions } from './prune-access.ts';
import { pruneDeliveries, pruneIdentities } from './prune-deliveries.ts';
import { pruneNotices, pruneReconciliations } from './prune-reconciliations.ts';
import { pruneRuns } from './prune-runs.ts';
import { pruneCounts, pruneHandshakes } from './prune-traffic.ts';
import { pruneAutomationVersions, pruneSecretVersions, spareVersionsInUse } from './prune-versions.ts';

/** Rows that one piece looks at: a few milliseconds of the storage thread, also on a slow disk. */
const MAX_PIECE_ROWS = 500;

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
 */
export function createRetention(db: Kysely<Schema>): Omit<Retention, 'reclaim'> {
  let pass = beginPass(null);
  return {
    lastMark: () => findMark(db),
    noteMark: (mark) => writeMark(db, mark),
    prune: async (policy, nowMs) => {
      try {
        const piece = await prunePiece({ db, policy, nowMs, pass });
        if (!piece.more) pass = beginPass(pass);
        return piece;
      } catch (error) {
        // It has moved past the rows that it could not remove.
        pass = beginPass(null);
        throw error;
      }
    },
  };
}

async function prunePiece(
  parts: Omit<Piece, 'limit' | 'removedRuns'>,
): Promise<{ more: boolean; removedRuns: string[] }> {
  const { pass } = parts;
  const removedRuns: string[] = [];
  let limit = MAX_PIECE_ROWS;
  while (pass.step < STEPS.length) {
    const done = await STEPS[pass.step]!({ ...parts, limit, removedRuns });
    limit -= done.rows;
    if (limit === 0) return { more: true, removedRuns };
    pass.step += 1;
    pass.afterSeq = 0;
  }
  return { more: false, removedRuns };
}
