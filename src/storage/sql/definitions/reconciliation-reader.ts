import type { Kysely } from 'kysely';
import type { ReconciliationReader } from '../../../domain/ports/definitions.ts';
import { cutPage, parseCursor } from '../cursor.ts';
import type { Schema } from '../schema/schema.ts';
import { selectReconciliations, toReconciliation } from './commits.ts';

/** Reads the reconciliation history. */
export function createReconciliationReader(db: Kysely<Schema>): ReconciliationReader {
  return {
    list: async ({ factory, limit, cursor }) => {
      const before = parseCursor(cursor);
      let query = selectReconciliations(db).where('reconciliations.factory', '=', factory);
      if (before !== null) query = query.where('reconciliations.seq', '<', before);
      const found = await query
        .orderBy('reconciliations.seq', 'desc')
        .limit(limit + 1)
        .execute();
      const { rows, nextCursor } = cutPage(found, limit);
      return { data: rows.map(toReconciliation), nextCursor };
    },
    get: async (id) => {
      const row = await selectReconciliations(db).where('reconciliations.id', '=', id).executeTakeFirst();
      return row ? toReconciliation(row) : null;
    },
  };
}
