import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { AppError } from '../../../core/errors.ts';
import type { DeliveryId, RunId, WebhookUid } from '../../../core/ids.ts';
import type { DeliveryPage, DeliveryReader, DeliverySearch } from '../../../core/ports/deliveries/delivery-log.ts';
import {
  type Delivery,
  type DeliveryLabel,
  ENTRY_LABELS,
  IDENTITY_SOURCES,
  NO_CLAIM,
} from '../../../core/resources/delivery.ts';
import { cutPage, parseCursor } from '../cursor.ts';
import { findListeners } from '../definitions/listener-history.ts';
import { findFirstSince } from '../find-first-since.ts';
import type { Schema } from '../schema/schema.ts';
import { CONTENTS, DELIVERIES } from '../schema/tables.ts';
import type { ClaimFinder } from './claim-finder.ts';
import { type Examination, examineDeliveries } from './examine-deliveries.ts';
import { type SeqRange, selectNewest } from './select-newest.ts';

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

interface Log {
  db: Kysely<Schema>;
  claims: ClaimFinder;
}

interface Numbered {
  seq: number;
}

/** The row numbers of the newest matching entries, newest first. */
async function findNewest(
  { db, claims }: Log,
  search: DeliverySearch,
  beforeSeq: number | null,
  limit: number,
): Promise<Numbered[]> {
  const { identity, label } = search;
  const refs = await findRefs(db, search);
  const { from, before: until } = await findRange(db, search, refs);
  const range = { from, before: Math.min(until, beforeSeq ?? until) };
  const found: Numbered[] = [];
  for (const ref of refs) {
    const newest =
      identity === undefined
        ? await selectNewest(db, ref, label === null ? ENTRY_LABELS : [label], range)
            .limit(limit)
            .execute()
        : await findByIdentity({ db, claims }, ref, { identity, label, range, limit });
    found.push(...newest);
  }
  return found.sort((a, b) => b.seq - a.seq).slice(0, limit);
}

/** The row numbers of the oldest matching entries behind the cursor, oldest first. */
async function findOldest(
  { db }: Log,
  search: DeliverySearch,
  afterSeq: number | null,
  limit: number,
): Promise<Numbered[]> {
  const refs = await findRefs(db, search);
  const range = await findRange(db, search, refs);
  const from = Math.max(range.from, afterSeq === null ? 0 : afterSeq + 1);
  const labels = search.label === null ? ENTRY_LABELS : [search.label];
  const found: Numbered[] = [];
  for (const ref of refs) {
    found.push(
      ...(await selectNewest(db, ref, labels, { ...range, from }, 'asc')
        .limit(limit)
        .execute()),
    );
  }
  return found.sort((a, b) => a.seq - b.seq).slice(0, limit);
}

/** The row numbers within the times of the search, behind its `after`. */
async function findRange(
  db: Kysely<Schema>,
  { fromAt, untilAt, after }: DeliverySearch,
  refs: readonly number[],
): Promise<SeqRange> {
  const from = fromAt === undefined ? 0 : await findFirstSince(db, 'deliveries', fromAt);
  const before = untilAt === undefined ? Number.MAX_SAFE_INTEGER : await findFirstSince(db, 'deliveries', untilAt);
  if (after === undefined) return { from, before };
  const last = await db.selectFrom('deliveries').select(['seq', 'webhook']).where('id', '=', after).executeTakeFirst();
  if (last === undefined || !refs.includes(last.webhook)) {
    throw new AppError('not_found', `The delivery ${after} is not in this log. Retention may have removed it.`);
  }
  return { from: Math.max(from, last.seq + 1), before };
}

/**
 * Entries with the sender's delivery ID. The accepted delivery is found by its claim. Duplicates, replays and
 * rejections are few and have an index. Accepted deliveries without a claim have another index.
 */
async function findByIdentity(
  { db, claims }: Log,
  webhook: number,
  { identity, label, range, limit }: { identity: string; label: DeliveryLabel | null; range: SeqRange; limit: number },
): Promise<Numbered[]> {
  const index = label === null ? null : DELIVERIES.encode('label', label);
  const inRange = db
    .selectFrom('deliveries')
    .select('deliveries.seq')
    .where('deliveries.seq', '>=', range.from)
    .where('deliveries.seq', '<', range.before)
    .$if(index !== null, (query) => query.where('deliveries.label', '=', index));
  const ids = findClaimed(claims, webhook, identity);
  const claimed = ids.length === 0 ? [] : await inRange.where('deliveries.id', 'in', ids).execute();
  const others = await inRange
    .where('deliveries.webhook', '=', webhook)
    .where('deliveries.identity', '=', identity)
    // SQLite uses the partial index only if its condition appears here as the same text.
    .where(sql<boolean>`(label <> 0 or replay_of is not null)`)
    .orderBy('deliveries.seq', 'desc')
    .limit(limit)
    .execute();
  const unclaimed = await inRange
    .where('deliveries.webhook', '=', webhook)
    .where('deliveries.identity', '=', identity)
    .where(sql<boolean>`identity_key = ''`)
    .orderBy('deliveries.seq', 'desc')
    .limit(limit)
    .execute();
  const limited = label === null ? await findLimited(inRange, webhook, identity).limit(limit).execute() : [];
  return [...claimed, ...others, ...unclaimed, ...limited];
}

/** Entries that stand for requests over the delivery rate, of which one had this delivery ID. */
function findLimited(inRange: SelectQueryBuilder<Schema, 'deliveries', Numbered>, webhook: number, identity: string) {
  return inRange
    .where('deliveries.webhook', '=', webhook)
    .where('deliveries.seq', 'in', (select) =>
      select
        .selectFrom('limited_delivery_ids')
        .select('limited_delivery_ids.delivery')
        .where('limited_delivery_ids.identity', '=', identity),
    )
    .orderBy('deliveries.seq', 'desc');
}

/** The accepted deliveries with this ID, at most one of each source. */
function findClaimed(claims: ClaimFinder, webhook: number, identity: string): DeliveryId[] {
  const found = IDENTITY_SOURCES.flatMap((source) =>
    listIdentityKeys(identity).map((key) => claims.find({ webhook, source, key })),
  );
  return found.filter((id) => id !== null);
}

/** Keys in `identities` hold one character for each received byte. The log shows the same bytes as text. */
function listIdentityKeys(identity: string): string[] {
  return [...new Set([identity, Buffer.from(identity, 'utf8').toString('latin1')])];
}

/**
 * Each webhook is read through its index and the results are merged here. One query over all webhooks would read the
 * entries of other factories too.
 */
async function findRefs(db: Kysely<Schema>, of: DeliverySearch): Promise<number[]> {
  const query = db.selectFrom('webhooks').select('ref');
  const rows = await ('factory' in of
    ? query.where('factory', '=', of.factory)
    : query.where('uid', '=', of.webhookUid)
  ).execute();
  return rows.map(({ ref }) => ref);
}

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
  const { webhook: _, identityKey, ...stored } = DELIVERIES.fromRow(row);
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
