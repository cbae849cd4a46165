import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { DeliveryId, WebhookUid } from '../../../domain/ids.ts';
import type { DeliverySearch } from '../../../domain/ports/delivery-log.ts';
import { type DeliveryLabel, ENTRY_LABELS, IDENTITY_SOURCES } from '../../../domain/resources/delivery.ts';
import { findFirstSince } from '../find-first-since.ts';
import type { Schema } from '../schema/schema.ts';
import { DELIVERIES } from '../schema/tables.ts';
import type { ClaimFinder } from './claim-finder.ts';
import { type SeqRange, selectNewest } from './select-newest.ts';

export interface Log {
  db: Kysely<Schema>;
  claims: ClaimFinder;
}

export interface Numbered {
  seq: number;
}

/** The row numbers of the newest matching entries, newest first. */
export async function findNewest(
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
export async function findOldest(
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
export async function findRange(
  db: Kysely<Schema>,
  { fromAt, untilAt, after }: Pick<DeliverySearch, 'fromAt' | 'untilAt' | 'after'>,
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

interface IdentitySearch {
  identity: string;
  label: DeliveryLabel | null;
  range: SeqRange;
  limit: number;
  /** Which entries a limit omits. */
  order?: 'asc' | 'desc';
}

/**
 * Entries with the sender's delivery ID. The accepted delivery is found by its claim. Duplicates, replays and
 * rejections are few and have an index. Accepted deliveries without a claim have another index.
 */
export async function findByIdentity(
  { db, claims }: Log,
  webhook: number,
  { identity, label, range, limit, order = 'desc' }: IdentitySearch,
): Promise<Numbered[]> {
  const index = label === null ? null : DELIVERIES.encode('label', label);
  const inRange = db
    .selectFrom('deliveries')
    .select('deliveries.seq')
    .where('deliveries.seq', '>=', range.from)
    .where('deliveries.seq', '<', range.before)
    .$if(index !== null, (query) => query.where('deliveries.label', '=', index));
  const ids = await findClaimed(claims, webhook, identity);
  const claimed = ids.length === 0 ? [] : await inRange.where('deliveries.id', 'in', ids).execute();
  const others = await inRange
    .where('deliveries.webhook', '=', webhook)
    .where('deliveries.identity', '=', identity)
    // SQLite uses the partial index only if its condition appears here as the same text.
    .where(sql<boolean>`(label <> 0 or replay_of is not null)`)
    .orderBy('deliveries.seq', order)
    .limit(limit)
    .execute();
  const unclaimed = await inRange
    .where('deliveries.webhook', '=', webhook)
    .where('deliveries.identity', '=', identity)
    .where(sql<boolean>`identity_key = ''`)
    .orderBy('deliveries.seq', order)
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
async function findClaimed(claims: ClaimFinder, webhook: number, identity: string): Promise<DeliveryId[]> {
  const wanted = IDENTITY_SOURCES.flatMap((source) =>
    listIdentityKeys(identity).map((key) => ({ webhook, source, key })),
  );
  const found = await Promise.all(wanted.map((claimed) => claims.find(claimed)));
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
export async function findRefs(
  db: Kysely<Schema>,
  of: { webhookUid: WebhookUid } | { factory: string },
): Promise<number[]> {
  const query = db.selectFrom('webhooks').select('ref');
  const rows = await ('factory' in of
    ? query.where('factory', '=', of.factory)
    : query.where('uid', '=', of.webhookUid)
  ).execute();
  return rows.map(({ ref }) => ref);
}
