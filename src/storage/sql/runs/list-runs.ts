import { type Kysely, sql } from 'kysely';
import type { Page, PageRequest } from '../../../domain/page.ts';
import { MAX_EXAMINED_RUNS, type RunSearch } from '../../../domain/ports/run-queue.ts';
import type { Run } from '../../../domain/resources/run.ts';
import { cutPage, formatCursor, parseCursor } from '../cursor.ts';
import { findFirstSince } from '../find-first-since.ts';
import type { Schema } from '../schema/schema.ts';
import { selectRuns, toRun } from './run-rows.ts';

/** Row numbers: `from` is included, `before` is not. */
interface Range {
  from: number;
  before: number;
}

/** The runs that match, newest first. Reads the index of the factory, or that of the state. */
export async function listRuns(
  db: Kysely<Schema>,
  { limit, cursor, ...search }: PageRequest & RunSearch,
): Promise<Page<Run>> {
  const range = await findRange(db, search, cursor);
  const delivery = await findDeliveryNumber(db, search);
  const isIndexed = delivery !== null || !hasFilter(search);
  const examinedFrom = isIndexed ? null : await findExaminedFrom(db, search, range);
  const from = Math.max(range.from, examinedFrom ?? 0);
  const found = await queryMatching(db, search, delivery, { ...range, from }, limit + 1).execute();
  const { rows, nextCursor } = cutPage(found, limit);
  const isCut = nextCursor === null && examinedFrom !== null;
  return { data: rows.map(toRun), nextCursor: isCut ? formatCursor(examinedFrom) : nextCursor };
}

/** The number of runs that match among those that one request may examine. */
export async function countRuns(
  db: Kysely<Schema>,
  { cursor, ...search }: Pick<PageRequest, 'cursor'> & RunSearch,
): Promise<{ count: number; nextCursor: string | null }> {
  const range = await findRange(db, search, cursor);
  const examinedFrom = await findExaminedFrom(db, search, range);
  const delivery = await findDeliveryNumber(db, search);
  const examined = { ...range, from: Math.max(range.from, examinedFrom ?? 0) };
  const matching = queryMatching(db, search, delivery, examined, MAX_EXAMINED_RUNS);
  const { count } = await db
    .selectFrom(matching.as('matching'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return { count, nextCursor: examinedFrom === null ? null : formatCursor(examinedFrom) };
}

async function findRange(db: Kysely<Schema>, { sinceAt }: RunSearch, cursor: string | null): Promise<Range> {
  return {
    from: sinceAt === undefined ? 0 : await findFirstSince(db, 'runs', sinceAt),
    before: parseCursor(cursor) ?? Number.MAX_SAFE_INTEGER,
  };
}

/** Filters that no index answers. */
function hasFilter({ automation, delivery, webhook, revision, search }: RunSearch): boolean {
  return [automation, delivery, webhook, revision, search].some((filter) => filter !== undefined);
}

/** `null` without a filter for a delivery, and after retention has removed the delivery. */
async function findDeliveryNumber(db: Kysely<Schema>, { delivery: id }: RunSearch): Promise<number | null> {
  if (id === undefined) return null;
  const row = await db.selectFrom('deliveries').select('seq').where('id', '=', id).executeTakeFirst();
  return row?.seq ?? null;
}

/** The number of the oldest run that this page examines; `null` if it examines all that are left. */
async function findExaminedFrom(
  db: Kysely<Schema>,
  { factory, state }: RunSearch,
  { from, before }: Range,
): Promise<number | null> {
  const oldest = await db
    .selectFrom('runs')
    .select('seq')
    .where('factory', '=', factory)
    .$if(state !== undefined, (query) => query.where('state', '=', state!))
    .where('seq', '>=', from)
    .where('seq', '<', before)
    .orderBy('seq', 'desc')
    .offset(MAX_EXAMINED_RUNS - 1)
    .limit(1)
    .executeTakeFirst();
  return oldest?.seq ?? null;
}

/** A pattern of `LIKE`. SQLite has no escape character by default. */
function containing(text: string) {
  const escaped = text.toLowerCase().replace(/[\\%_]/g, '\\$&');
  return sql<string>`${`%${escaped}%`} ESCAPE '\\'`;
}

function queryMatching(
  db: Kysely<Schema>,
  { factory, state, automation, delivery, webhook, revision, search }: RunSearch,
  deliveryNumber: number | null,
  { from, before }: Range,
  count: number,
) {
  const isRevision = sql<boolean>`substr(runs.revision, 1, ${revision?.length ?? 0}) = ${revision ?? ''}`;
  return selectRuns(db)
    .where('runs.factory', '=', factory)
    .where('runs.seq', '>=', from)
    .where('runs.seq', '<', before)
    .$if(state !== undefined, (query) => query.where('runs.state', '=', state!))
    .$if(automation !== undefined, (query) => query.where('runs.automation', '=', automation!))
    .$if(delivery !== undefined, (query) => query.where('runs.delivery_id', '=', delivery!))
    .$if(deliveryNumber !== null, (query) => query.where('runs.delivery', '=', deliveryNumber!))
    .$if(webhook !== undefined, (query) =>
      query.where((where) => where.or([where('webhooks.uid', '=', webhook!), where('webhooks.name', '=', webhook!)])),
    )
    .$if(revision !== undefined, (query) => query.where(isRevision))
    .$if(search !== undefined, (query) => query.where('runs.output_text', 'like', containing(search!)))
    .orderBy('runs.seq', 'desc')
    .limit(count);
}
