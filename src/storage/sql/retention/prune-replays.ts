import type { Piece } from './pass.ts';

/** As long as the reconciliation history. */
const REPLAYS_MS = 90 * 24 * 60 * 60 * 1000;

/** Removes replays a while after their end. Those that continue remain. */
export async function pruneReplays({ db, nowMs, limit }: Piece): Promise<{ rows: number }> {
  const rows = await db
    .selectFrom('replays')
    .select('seq')
    .where('finished_at', '<', nowMs - REPLAYS_MS)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const seqs = rows.map(({ seq }) => seq);
  if (seqs.length > 0) await db.deleteFrom('replays').where('seq', 'in', seqs).execute();
  return { rows: seqs.length };
}
