import type { Kysely } from 'kysely';
import { HANDSHAKE_OUTCOMES } from '../../../core/handshake.ts';
import type { HandshakeLog } from '../../../core/ports/deliveries/handshake-log.ts';
import { cutPage, parseCursor } from '../cursor.ts';
import type { Schema } from '../schema.ts';

/** The log of handshakes, in SQLite. */
export function createHandshakeLog(db: Kysely<Schema>): HandshakeLog {
  return {
    append: async ({ webhook, handshake, outcome, detail, count, receivedAt, clientAddress }) => {
      const row = { webhook, handshake, detail, count, received_at: receivedAt, client_address: clientAddress };
      await db
        .insertInto('handshakes')
        .values({ ...row, outcome: HANDSHAKE_OUTCOMES.indexOf(outcome) })
        .execute();
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
      const data = rows.map(({ handshake, outcome, detail, count, received_at, client_address }) => ({
        ...{ webhookUid, handshake, outcome: HANDSHAKE_OUTCOMES[outcome]!, detail, count },
        ...{ receivedAt: received_at, clientAddress: client_address },
      }));
      return { data, nextCursor };
    },
  };
}
