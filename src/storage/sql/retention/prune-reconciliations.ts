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
    .select(['seq', 'revision'])
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
  if (seqs.length > 0) {
    await db.deleteFrom('reconciliations').where('seq', 'in', seqs).execute();
    await deleteUnusedCommits(db, factory, [...new Set(due.flatMap(({ revision }) => revision ?? []))]);
  }
  return seqs.length;
}

/** Keeps the commits that are live, or that the history, an automation or a webhook still refers to. */
async function deleteUnusedCommits(db: Kysely<Schema>, factory: string, revisions: string[]): Promise<void> {
  if (revisions.length === 0) return;
  const listUsed = (table: 'reconciliations' | 'automations' | 'webhooks') =>
    db
      .selectFrom(table)
      .select('revision')
      .where('factory', '=', factory)
      .where('revision', 'in', revisions)
      .distinct()
      .execute();
  const used = await Promise.all((['reconciliations', 'automations', 'webhooks'] as const).map(listUsed));
  const factoryRow = await db.selectFrom('factories').select('applied_revision').where('name', '=', factory).execute();
  const kept = new Set([...used.flat().map((row) => row.revision), ...factoryRow.map((row) => row.applied_revision)]);
  const unused = revisions.filter((revision) => !kept.has(revision));
  if (unused.length === 0) return;
  await db.deleteFrom('commits').where('factory', '=', factory).where('revision', 'in', unused).execute();
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
