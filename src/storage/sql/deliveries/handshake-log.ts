import type { Kysely } from 'kysely';
import type { HandshakeLog } from '../../../domain/ports/delivery-log.ts';
import { cutPage, parseCursor } from '../cursor.ts';
import type { Schema } from '../schema/schema.ts';
import { HANDSHAKES } from '../schema/tables.ts';

/** The log of handshakes. */
export function createHandshakeLog(db: Kysely<Schema>): HandshakeLog {
  return {
    append: async (entry) => {
      await db.insertInto('handshakes').values(HANDSHAKES.toRow(entry)).execute();
    },
    list: async ({ webhookUid, limit, cursor }) => {
      const before = parseCursor(cursor);
      let query = db
        .selectFrom('handshakes')
        .selectAll()
        .where('webhook', '=', (select) =>
          select.selectFrom('webhooks').select('webhooks.ref').where('webhooks.uid', '=', webhookUid),
        );
      if (before !== null) query = query.where('seq', '<', before);
      const found = await query
        .orderBy('seq', 'desc')
        .limit(limit + 1)
        .execute();
      const { rows, nextCursor } = cutPage(found, limit);
      const data = rows.map((row) => {
        const { webhook: _, ...entry } = HANDSHAKES.fromRow(row);
        return { ...entry, webhookUid };
      });
      return { data, nextCursor };
    },
  };
}
