import type { Kysely } from 'kysely';
import { DELIVERY_LABELS, type Delivery, type DeliveryLabel, IDENTITY_SOURCES } from '../../core/delivery.ts';
import type { DeliveryId, RunId, WebhookUid } from '../../core/ids.ts';
import type { DeliveryReader } from '../../core/ports/delivery-log.ts';
import { cutPage, parseCursor } from './cursor.ts';
import type { Schema } from './schema.ts';

const LABEL_ACCEPTED = DELIVERY_LABELS.indexOf('Accepted');

/** Reads of the delivery log for people and scripts. */
export function createDeliveryReader(db: Kysely<Schema>): DeliveryReader {
  return {
    list: async ({ webhookUid, label, limit, cursor }) => {
      const query = selectPage(db, webhookUid, label, parseCursor(cursor), limit);
      const { rows, nextCursor } = cutPage(await query.execute(), limit);
      return { data: await attachRuns(db, rows), nextCursor };
    },
    get: async (id) => {
      const row = await selectDeliveries(db).where('deliveries.id', '=', id).executeTakeFirst();
      return row ? ((await attachRuns(db, [row]))[0] ?? null) : null;
    },
    payload: async (id) => {
      const row = await selectContents(db, id).select('delivery_contents.body').executeTakeFirst();
      return row?.body ?? null;
    },
    decisions: async (id) => {
      const row = await selectContents(db, id).select('delivery_contents.decisions').executeTakeFirst();
      return row ? JSON.parse(row.decisions ?? '[]') : null;
    },
  };
}

function selectDeliveries(db: Kysely<Schema>) {
  return db
    .selectFrom('deliveries')
    .innerJoin('webhooks', 'webhooks.ref', 'deliveries.webhook')
    .leftJoin('deliveries as earlier', 'earlier.id', 'deliveries.duplicate_of')
    .selectAll('deliveries')
    .select(['webhooks.uid', 'webhooks.name', 'webhooks.factory', 'earlier.id as duplicate_of_logged']);
}

type DeliveryRow = Awaited<ReturnType<ReturnType<typeof selectDeliveries>['executeTakeFirstOrThrow']>>;

/** One page, newest first, walked on the index of the webhook and, where one label is asked for, of that label. */
function selectPage(
  db: Kysely<Schema>,
  webhookUid: WebhookUid,
  label: DeliveryLabel | null,
  beforeSeq: number | null,
  limit: number,
) {
  let query = selectDeliveries(db)
    .where('deliveries.webhook', '=', (select) =>
      select.selectFrom('webhooks as named').select('named.ref').where('named.uid', '=', webhookUid),
    )
    .orderBy('deliveries.seq', 'desc')
    .limit(limit + 1);
  if (beforeSeq !== null) query = query.where('deliveries.seq', '<', beforeSeq);
  if (label === null) return query;
  return query.where('deliveries.label', '=', DELIVERY_LABELS.indexOf(label));
}

function selectContents(db: Kysely<Schema>, id: DeliveryId) {
  return db
    .selectFrom('deliveries')
    .leftJoin('delivery_contents', 'delivery_contents.delivery', 'deliveries.seq')
    .where('deliveries.id', '=', id);
}

async function attachRuns(db: Kysely<Schema>, rows: readonly DeliveryRow[]): Promise<Delivery[]> {
  const accepted = rows.filter((row) => row.label === LABEL_ACCEPTED).map((row) => row.seq);
  const runs = accepted.length === 0 ? [] : await selectRuns(db, accepted);
  const byDelivery = new Map<number, RunId[]>();
  for (const run of runs) byDelivery.set(run.delivery, [...(byDelivery.get(run.delivery) ?? []), run.id as RunId]);
  return rows.map((row) => toDelivery(row, byDelivery.get(row.seq) ?? []));
}

function selectRuns(db: Kysely<Schema>, deliveries: readonly number[]) {
  return db.selectFrom('runs').select(['delivery', 'id']).where('delivery', 'in', deliveries).orderBy('seq').execute();
}

function toDelivery(row: DeliveryRow, runs: RunId[]): Delivery {
  const source = row.identity_source === null ? undefined : IDENTITY_SOURCES[row.identity_source];
  return {
    id: row.id as DeliveryId,
    factory: row.factory,
    webhookUid: row.uid as WebhookUid,
    webhookName: row.name,
    identity: source === undefined ? null : { source, value: row.identity! },
    label: DELIVERY_LABELS[row.label]!,
    reason: row.reason,
    detail: row.detail,
    size: row.size,
    count: row.count,
    receivedAt: row.received_at,
    clientAddress: row.client_address,
    revision: row.revision,
    duplicateOf: row.duplicate_of_logged as DeliveryId | null,
    replayOf: row.replay_of as DeliveryId | null,
    runs,
  };
}
