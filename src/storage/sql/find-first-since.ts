import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema/schema.ts';

/** Tables whose new rows get the highest number, with the column that holds the time of a row. */
const TIMES = { deliveries: 'received_at', runs: 'created_at', audit_log: 'at' } as const;

/**
 * The number of the first row at or after `since` (wall time in milliseconds), or one more than the last row if none
 * exists. Times rise with the row number, so a binary search finds the row without an index on times.
 */
export async function findFirstSince(db: Kysely<Schema>, table: keyof typeof TIMES, since: number): Promise<number> {
  const name = sql.table(table);
  const bounds = await sql<{ low: number | null; high: number | null }>`
    select (select min(seq) from ${name}) as low, (select max(seq) from ${name}) as high`.execute(db);
  let { low, high } = { low: bounds.rows[0]?.low ?? 0, high: (bounds.rows[0]?.high ?? -1) + 1 };
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = await sql<{ seq: number; at: number }>`
      select seq, ${sql.ref(TIMES[table])} as at from ${name} where seq >= ${middle} order by seq limit 1`.execute(db);
    const { seq, at } = next.rows[0]!;
    if (at >= since) high = middle;
    else low = seq + 1;
  }
  return low;
}
