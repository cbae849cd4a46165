import type { Kysely } from 'kysely';
import type { ReconciliationReader } from '../../../core/ports/definitions/reconciliation-log.ts';
import { cutPage, parseCursor } from '../cursor.ts';
import type { Schema } from '../schema/schema.ts';
import { RECONCILIATIONS } from '../schema/tables.ts';

/** Reads the reconciliation history. */
export function createReconciliationReader(db: Kysely<Schema>): ReconciliationReader {
  return {
    list: async ({ factory, limit, cursor }) => {
      const before = parseCursor(cursor);
      let query = db.selectFrom('reconciliations').selectAll().where('factory', '=', factory);
      if (before !== null) query = query.where('seq', '<', before);
      const found = await query
        .orderBy('seq', 'desc')
        .limit(limit + 1)
        .execute();
      const { rows, nextCursor } = cutPage(found, limit);
      return { data: rows.map(RECONCILIATIONS.fromRow), nextCursor };
    },
    get: async (id) => {
      const row = await db.selectFrom('reconciliations').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? RECONCILIATIONS.fromRow(row) : null;
    },
  };
}
