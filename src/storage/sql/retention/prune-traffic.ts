import { HOUR_MS, MAX_ACTIVITY_MS, UNLOGGED_PERIOD_MS } from '../../../domain/ports/delivery-log.ts';
import { LOOP_GUARD } from '../../../domain/words/runs.ts';
import { type Piece, takeExpired } from './pass.ts';

/** Counts are small. They remain as long as the API can return them, regardless of the retention of the log. */
export async function pruneCounts({ db, nowMs, limit, pass }: Piece): Promise<{ rows: number }> {
  const oldest = Math.floor((nowMs - MAX_ACTIVITY_MS) / HOUR_MS) - 1;
  const oldestPeriod = Math.floor((nowMs - MAX_ACTIVITY_MS) / UNLOGGED_PERIOD_MS) - 1;
  const webhooks = await db
    .selectFrom('webhooks')
    .select('ref')
    .where('ref', '>', pass.afterSeq)
    .orderBy('ref')
    .limit(limit)
    .execute();
  for (const { ref } of webhooks) {
    await db.deleteFrom('delivery_counts').where('webhook', '=', ref).where('hour', '<', oldest).execute();
    await db.deleteFrom('unlogged_counts').where('webhook', '=', ref).where('period', '<', oldestPeriod).execute();
    pass.afterSeq = ref;
  }
  return { rows: webhooks.length };
}

/** Uses the retention of deliveries. The newest row remains, so that no row number is used twice. */
export async function pruneHandshakes({ db, policy, nowMs, limit, pass }: Piece): Promise<{ rows: number }> {
  const rows = await db
    .selectFrom('handshakes')
    .select(['seq', 'received_at as at'])
    .where('seq', '>', pass.afterSeq)
    .where('seq', '<', (select) => select.selectFrom('handshakes').select((of) => of.fn.max('seq').as('newest')))
    .orderBy('seq')
    .limit(limit)
    .execute();
  const taken = takeExpired(rows, nowMs - policy.deliveriesMs, nowMs, pass);
  const removed = taken.expired.map((row) => row.seq);
  if (removed.length > 0) await db.deleteFrom('handshakes').where('seq', 'in', removed).execute();
  return { rows: taken.rows };
}

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

/** Alerts look no further back. The next delivery that is held back begins a new count. */
export async function pruneLoopGuards({ db, nowMs, limit }: Piece): Promise<{ rows: number }> {
  const expired = await db
    .selectFrom('loop_guards')
    .select(['factory', 'automation', 'subject'])
    .where('last_at', '<', nowMs - LOOP_GUARD.windowMs)
    .orderBy('last_at')
    .limit(limit)
    .execute();
  for (const key of expired) {
    await db
      .deleteFrom('loop_guards')
      .where((where) => where.and(key))
      .execute();
  }
  return { rows: expired.length };
}
