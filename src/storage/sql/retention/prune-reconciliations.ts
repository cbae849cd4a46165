import type { Kysely } from 'kysely';
import type { Schema } from '../schema/schema.ts';
import { type Piece, takeExpired } from './pass.ts';

/** Limits of the reconciliation history of a factory: number of rows, and age of all rows except the newest. */
const MAX_RECONCILIATIONS = 1000;
const RECONCILIATIONS_MS = 90 * 24 * 60 * 60 * 1000;

export async function pruneReconciliations({ db, nowMs, limit }: Piece): Promise<{ rows: number }> {
  const factories = await db.selectFrom('factories').select('name').orderBy('name').execute();
  let rows = 0;
  for (const { name } of factories) rows += await pruneHistory(db, name, nowMs - RECONCILIATIONS_MS, limit - rows);
  return { rows };
}

/** Removes up to `limit` rows of one factory's history. The newest row always remains. */
async function pruneHistory(db: Kysely<Schema>, factory: string, oldestKept: number, limit: number): Promise<number> {
  const selectKept = (count: number) =>
    db
      .selectFrom('reconciliations as kept')
      .select('kept.seq')
      .where('kept.factory', '=', factory)
      .orderBy('kept.seq', 'desc')
      .offset(count - 1)
      .limit(1);
  const due = await db
    .selectFrom('reconciliations')
    .select('seq')
    .where('factory', '=', factory)
    .where((where) =>
      where.or([
        where('seq', '<', selectKept(MAX_RECONCILIATIONS)),
        where.and([where('attempted_at', '<', oldestKept), where('seq', '<', selectKept(1))]),
      ]),
    )
    .orderBy('seq')
    .limit(limit)
    .execute();
  const seqs = due.map((row) => row.seq);
  if (seqs.length > 0) await db.deleteFrom('reconciliations').where('seq', 'in', seqs).execute();
  return seqs.length;
}

/** Uses the age limit of the history. The newest row of each target remains, so that no result is reported twice. */
export async function pruneNotices({ db, nowMs, limit, pass }: Piece): Promise<{ rows: number }> {
  const rows = await db
    .selectFrom('notices')
    .select(['seq', 'created_at as at'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const taken = takeExpired(rows, nowMs - RECONCILIATIONS_MS, nowMs, pass);
  const old = taken.expired.map((row) => row.seq);
  if (old.length > 0) await deleteReplacedNotices(db, old);
  return { rows: taken.rows };
}

async function deleteReplacedNotices(db: Kysely<Schema>, seqs: number[]): Promise<void> {
  await db
    .deleteFrom('notices')
    .where('seq', 'in', seqs)
    .where((where) =>
      where.exists(
        where
          .selectFrom('notices as later')
          .select('later.seq')
          .whereRef('later.factory', '=', 'notices.factory')
          .whereRef('later.target', '=', 'notices.target')
          .whereRef('later.seq', '>', 'notices.seq'),
      ),
    )
    .execute();
}
