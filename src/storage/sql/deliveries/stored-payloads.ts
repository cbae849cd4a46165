import type { Kysely } from 'kysely';
import type { DeliveryId, WebhookUid } from '../../../domain/ids.ts';
import type { StoredPayloads } from '../../../domain/ports/delivery-log.ts';
import { findFirstSince } from '../find-first-since.ts';
import type { Schema } from '../schema/schema.ts';
import { DELIVERIES } from '../schema/tables.ts';

const LABEL_ACCEPTED = DELIVERIES.encode('label', 'Accepted');

/** Maximum number of rows of one `read`, which limits the parameters of its query. */
const MAX_ROWS = 256;

/** Reads stored payloads in bulk. */
export function createStoredPayloads(db: Kysely<Schema>): StoredPayloads {
  return {
    keys: async ({ webhook, since, before, limit }) => {
      const oldest = await findFirstSince(db, 'deliveries', since);
      let query = db
        .selectFrom('delivery_listing')
        .select('seq')
        .where('webhook', '=', (select) =>
          select.selectFrom('webhooks').select('webhooks.ref').where('webhooks.uid', '=', webhook),
        )
        .where('label', '=', LABEL_ACCEPTED)
        .where('seq', '>=', oldest);
      if (before !== null) query = query.where('seq', '<', before);
      const rows = await query.orderBy('seq', 'desc').limit(limit).execute();
      return rows.map(({ seq }) => seq);
    },
    read: async (keys, maxBytes) => {
      const wanted = await fitIn(db, keys.slice(0, MAX_ROWS), maxBytes);
      const rows = await selectPayloads(db, wanted).execute();
      const payloads = rows.map(({ id, uid, received_at, headers, body }) => ({
        id: id as DeliveryId,
        webhook: uid as WebhookUid,
        receivedAt: received_at,
        headers,
        body,
      }));
      return { taken: wanted.length, payloads };
    },
  };
}

async function fitIn(db: Kysely<Schema>, keys: readonly number[], maxBytes: number): Promise<readonly number[]> {
  if (keys.length === 0) return keys;
  const rows = await db.selectFrom('deliveries').select(['seq', 'size']).where('seq', 'in', keys).execute();
  const sizes = new Map(rows.map(({ seq, size }) => [seq, size]));
  let bytes = 0;
  const over = keys.findIndex((key) => {
    bytes += sizes.get(key) ?? 0;
    return bytes > maxBytes;
  });
  return over === -1 ? keys : keys.slice(0, Math.max(1, over));
}

function selectPayloads(db: Kysely<Schema>, keys: readonly number[]) {
  return db
    .selectFrom('deliveries')
    .innerJoin('delivery_contents', 'delivery_contents.delivery', 'deliveries.seq')
    .innerJoin('webhooks', 'webhooks.ref', 'deliveries.webhook')
    .select(['deliveries.id', 'deliveries.received_at', 'deliveries.headers', 'webhooks.uid', 'delivery_contents.body'])
    .where('deliveries.seq', 'in', keys);
}
