import type { Kysely } from 'kysely';
import type { RetentionMark } from '../../../domain/retention-time.ts';
import type { Schema } from '../schema/schema.ts';

const KEY = 'retention_mark';

/** The mark of the last pass, or the time of the newest row if no pass has stored a mark yet. */
export async function findMark(db: Kysely<Schema>): Promise<RetentionMark | null> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', KEY).executeTakeFirst();
  if (row !== undefined) return JSON.parse(Buffer.from(row.value).toString('utf8')) as RetentionMark;
  const newestMs = await findNewest(db);
  return newestMs === null ? null : { passedAtMs: newestMs, horizonMs: newestMs };
}

export async function writeMark(db: Kysely<Schema>, mark: RetentionMark): Promise<void> {
  const value = Buffer.from(JSON.stringify(mark));
  await db
    .insertInto('settings')
    .values({ key: KEY, value })
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
