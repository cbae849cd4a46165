import type { Kysely } from 'kysely';
import type { DeliveryId, RunId, WebhookUid } from '../../../domain/ids.ts';
import type { DeliveryPage, DeliveryReader, DeliverySearch } from '../../../domain/ports/delivery-log.ts';
import { type Delivery, NO_CLAIM } from '../../../domain/resources/delivery.ts';
import { cutPage, parseCursor } from '../cursor.ts';
import { findListeners } from '../definitions/listener-history.ts';
import type { Schema } from '../schema/schema.ts';
import { CONTENTS, DELIVERIES } from '../schema/tables.ts';
import type { ClaimFinder } from './claim-finder.ts';
import { type Examination, examineDeliveries } from './examine-deliveries.ts';
import { findNewest, findOldest, type Log, type Numbered } from './find-deliveries.ts';

const LABEL_ACCEPTED = DELIVERIES.encode('label', 'Accepted');

/** Reads the delivery log for the management API. */
export function createDeliveryReader(db: Kysely<Schema>, claims: ClaimFinder): DeliveryReader {
  return {
    list: async ({ limit, cursor, ...search }) => {
      const log = { db, claims };
      const before = parseCursor(cursor);
      const { isUnmatched = false, event = null, text = null } = search;
      if (isUnmatched || event !== null || text !== null) {
        return listExamined(log, search, { isUnmatched, event, text }, { before, limit });
      }
      const { isOldestFirst = false } = search;
      const found = isOldestFirst
        ? findOldest(log, search, before, limit + 1)
        : findNewest(log, search, before, limit + 1);
      const { rows, nextCursor } = cutPage(await found, limit);
      const data = await readRows(db, rows);
      return { data: isOldestFirst ? data.reverse() : data, nextCursor };
    },
    get: async (id) => {
      const row = await selectDeliveries(db).where('deliveries.id', '=', id).executeTakeFirst();
      return row ? ((await attachRuns(db, [row]))[0] ?? null) : null;
    },
    payload: async (id) => {
      const row = await selectContents(db, id).select('delivery_contents.body').executeTakeFirst();
      return row?.body ?? null;
    },
    form: async (id) => {
      const row = await selectContents(db, id).select('delivery_contents.form').executeTakeFirst();
      return row?.form ?? null;
    },
    evaluation: async (id) => {
      const row = await selectContents(db, id).select('delivery_contents.decisions').executeTakeFirst();
      return typeof row?.decisions === 'string' ? CONTENTS.decode('decisions', row.decisions) : null;
    },
    listeners: (search) => findListeners(db, search),
  };
}

/** Entries with another label have no stored payload, start nothing, and repeat an event or have none. */
async function listExamined(
  log: Log,
  search: DeliverySearch,
  examination: Examination,
  page: { before: number | null; limit: number },
): Promise<DeliveryPage> {
  if (search.label !== null && search.label !== 'Accepted') return { data: [], nextCursor: null, examinedTo: null };
  const readEntries = (before: number | null, limit: number) =>
    findNewest(log, { ...search, label: 'Accepted' }, before, limit);
  const { rows, nextCursor, oldest } = await examineDeliveries(log.db, examination, readEntries, page);
  const [last] = oldest === null ? [] : await readRows(log.db, [{ seq: oldest }]);
  return { data: await readRows(log.db, rows), nextCursor, examinedTo: last?.receivedAt ?? null };
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

async function readRows(db: Kysely<Schema>, numbered: readonly Numbered[]): Promise<Delivery[]> {
  const seqs = numbered.map(({ seq }) => seq);
  if (seqs.length === 0) return [];
  const rows = await selectDeliveries(db).where('deliveries.seq', 'in', seqs).execute();
  return attachRuns(
    db,
    rows.sort((a, b) => b.seq - a.seq),
  );
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
  const { webhook: _, identityKey, bodyKey: _key, ...stored } = DELIVERIES.fromRow(row);
  return {
    ...stored,
    deduplicated: identityKey !== NO_CLAIM,
    factory: row.factory,
    webhookUid: row.uid as WebhookUid,
    webhookName: row.name,
    duplicateOf: row.duplicate_of_logged as DeliveryId | null,
    runs,
  };
}
