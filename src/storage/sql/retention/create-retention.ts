import type { Kysely } from 'kysely';
import type { Retention } from '../../../domain/ports/operations.ts';
import type { RetentionMark } from '../../../domain/time/retention-time.ts';
import type { ClaimRetention } from '../deliveries/claim-finder.ts';
import type { Schema } from '../schema/schema.ts';
import { beginPass, copyPass, type Piece, type PruneStep } from './pass.ts';
import { pruneAudit, pruneLoginLinks, pruneSessions } from './prune-access.ts';
import { pruneAgentFiles } from './prune-agent-files.ts';
import { pruneDeliveries, pruneIdentities, pruneRuns } from './prune-deliveries.ts';
import { pruneListeners } from './prune-listeners.ts';
import { pruneNotices, pruneReconciliations } from './prune-reconciliations.ts';
import { pruneCounts, pruneHandshakes, pruneLoopGuards, pruneReplays } from './prune-traffic.ts';
import { keepVersionsInUse, pruneAutomationVersions, pruneSecretVersions } from './prune-versions.ts';

/** Maximum number of rows of one piece: a few milliseconds of the storage thread, also on a slow disk. */
const MAX_PIECE_ROWS = 500;
/** If the disk is full, a piece is retried with this factor fewer rows. */
const FULL_DISK_FACTOR = 8;

const STEPS: readonly PruneStep[] = [
  pruneDeliveries,
  pruneIdentities,
  pruneCounts,
  pruneHandshakes,
  pruneRuns,
  pruneReconciliations,
  pruneNotices,
  pruneReplays,
  pruneLoopGuards,
  pruneSessions,
  pruneLoginLinks,
  pruneAudit,
  pruneListeners,
  keepVersionsInUse,
  pruneAutomationVersions,
  pruneAgentFiles,
  pruneSecretVersions,
];

/** How a full disk is recognized, and what to do about it before a piece is retried with fewer rows. */
export interface DiskRoom {
  isFull(error: unknown): boolean;
  makeRoom(): void;
}

export interface PreparedRetention {
  retention: Omit<Retention, 'reclaim'>;
  /** Call when what `prune` removed is committed. Without it, the next call of `prune` repeats the piece. */
  confirm(): void;
}

/**
 * Removes expired rows. One pass reads each table from the oldest row on, in pieces. It keeps its position between the
 * calls, so that old rows which must remain are read once per pass and not once per piece.
 *
 * Removing rows also writes to the write-ahead log. If the disk is full, the log is emptied and the piece is retried
 * with fewer rows, down to one.
 */
export function createRetention(db: Kysely<Schema>, claims: ClaimRetention, disk: DiskRoom): PreparedRetention {
  let pass = beginPass(null);
  /** The pass after the last piece. */
  let reached = pass;
  let pieceRows = MAX_PIECE_ROWS;
  return {
    retention: {
      lastMark: () => findMark(db),
      noteMark: (mark) => writeMark(db, mark),
      prune: async (policy, nowMs) => {
        for (;;) {
          try {
            const ahead = copyPass(pass);
            const piece = await prunePiece({ db, claims, policy, nowMs, pass: ahead, limit: pieceRows });
            reached = piece.more ? ahead : beginPass(ahead);
            pieceRows = Math.min(MAX_PIECE_ROWS, pieceRows * 2);
            return piece;
          } catch (error) {
            if (!disk.isFull(error) || pieceRows === 1) throw error;
            disk.makeRoom();
            pieceRows = Math.ceil(pieceRows / FULL_DISK_FACTOR);
          }
        }
      },
    },
    confirm: () => {
      pass = reached;
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

const MARK_KEY = 'retention_mark';

/** The mark of the last pass, or the time of the newest row if no pass has stored a mark yet. */
async function findMark(db: Kysely<Schema>): Promise<RetentionMark | null> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', MARK_KEY).executeTakeFirst();
  if (row !== undefined) return JSON.parse(Buffer.from(row.value).toString('utf8')) as RetentionMark;
  const newestMs = await findNewest(db);
  return newestMs === null ? null : { passedAtMs: newestMs, horizonMs: newestMs };
}

async function writeMark(db: Kysely<Schema>, mark: RetentionMark): Promise<void> {
  const value = Buffer.from(JSON.stringify(mark));
  await db
    .insertInto('settings')
    .values({ key: MARK_KEY, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** The newest row of the tables that every daemon writes: deliveries, the audit log and attempted reconciliations. */
async function findNewest(db: Kysely<Schema>): Promise<number | null> {
  const newest = await Promise.all([
    db.selectFrom('deliveries').select('received_at as at').orderBy('seq', 'desc').limit(1).executeTakeFirst(),
    db.selectFrom('audit_log').select('at').orderBy('seq', 'desc').limit(1).executeTakeFirst(),
    db
      .selectFrom('factories')
      .select((select) => select.fn.max('attempted_at').as('at'))
      .executeTakeFirst(),
  ]);
  const instants = newest.flatMap((row) => (row?.at ? [row.at] : []));
  return instants.length === 0 ? null : Math.max(...instants);
}
