import { type Kysely, sql } from 'kysely';
import { MAX_EXAMINED_BYTES, MAX_EXAMINED_DELIVERIES } from '../../../domain/ports/delivery-log.ts';
import { parseRecordedHeaders, type RecordedHeaders } from '../../../domain/resources/delivery.ts';
import { isEventOf } from '../../../domain/words/deliveries.ts';
import { formatCursor } from '../cursor.ts';
import type { Schema } from '../schema/schema.ts';

/** Few payloads per query, so that batches of deliveries are written between two queries. */
const ENTRIES_PER_QUERY = 100;

interface Numbered {
  seq: number;
}

/** What an accepted delivery has to have. */
export interface Examination {
  /** It started no run. */
  isUnmatched: boolean;
  /** The name of its event, or the part of it before a dot. */
  event: string | null;
  /** Text that its payload or a recorded request header contains. */
  text: string | null;
}

interface ExaminedPage {
  rows: Numbered[];
  nextCursor: string | null;
  /** The oldest entry that was examined; `null` if none is left. */
  oldest: number | null;
}

/**
 * Examines accepted deliveries one after another, because no index answers these questions. Stops at a full page, or at the
 * limit of one page.
 *
 * @param readEntries the next entries before a number, newest first
 */
export async function examineDeliveries(
  db: Kysely<Schema>,
  examination: Examination,
  readEntries: (before: number | null, limit: number) => Promise<Numbered[]>,
  { before, limit }: { before: number | null; limit: number },
): Promise<ExaminedPage> {
  const rows: Numbered[] = [];
  let position = before;
  let budget = { entries: MAX_EXAMINED_DELIVERIES, bytes: MAX_EXAMINED_BYTES };
  while (budget.entries > 0 && budget.bytes > 0) {
    const entries = await readEntries(position, ENTRIES_PER_QUERY);
    const seqs = entries.map(({ seq }) => seq);
    const { found, bytes } = await examineEntries(db, seqs, examination);
    rows.push(...found.map((seq) => ({ seq })));
    if (rows.length >= limit) return endPage(rows.slice(0, limit));
    if (entries.length < ENTRIES_PER_QUERY) return { rows, nextCursor: null, oldest: null };
    position = seqs.at(-1)!;
    budget = { entries: budget.entries - entries.length, bytes: budget.bytes - bytes };
  }
  return { rows, nextCursor: formatCursor(position!), oldest: position };
}

/** Those of the entries that have all of it, newest first, and the bytes that were searched. */
export async function examineEntries(
  db: Kysely<Schema>,
  seqs: readonly number[],
  { isUnmatched, event, text }: Examination,
): Promise<{ found: readonly number[]; bytes: number }> {
  const named = event === null ? seqs : await findNamed(db, seqs, event);
  const unmatched = isUnmatched ? await omitMatched(db, named) : named;
  return text === null ? { found: unmatched, bytes: 0 } : findText(db, unmatched, text);
}

function endPage(rows: Numbered[]): ExaminedPage {
  const oldest = rows.at(-1)!.seq;
  return { rows, nextCursor: formatCursor(oldest), oldest };
}

async function findNamed(db: Kysely<Schema>, seqs: readonly number[], event: string): Promise<number[]> {
  if (seqs.length === 0) return [];
  const rows = await db.selectFrom('deliveries').select(['seq', 'event']).where('seq', 'in', seqs).execute();
  const named = rows.filter((row) => isEventOf(row.event, event));
  return named.map(({ seq }) => seq).sort((a, b) => b - a);
}

async function omitMatched(db: Kysely<Schema>, seqs: readonly number[]): Promise<number[]> {
  if (seqs.length === 0) return [];
  const runs = await db.selectFrom('runs').select('delivery').where('delivery', 'in', seqs).execute();
  const matched = new Set(runs.map(({ delivery }) => delivery));
  return seqs.filter((seq) => !matched.has(seq));
}

async function findText(db: Kysely<Schema>, seqs: readonly number[], text: string) {
  if (seqs.length === 0) return { found: [], bytes: 0 };
  const wanted = Buffer.from(text);
  const entries = await db
    .selectFrom('deliveries')
    .innerJoin('delivery_contents', 'delivery_contents.delivery', 'deliveries.seq')
    .select(['deliveries.seq', 'deliveries.headers'])
    .select([sql<number>`length(body)`.as('size'), sql<number>`instr(body, ${wanted}) > 0`.as('has')])
    .where('deliveries.seq', 'in', seqs)
    .orderBy('deliveries.seq', 'desc')
    .execute();
  const found = entries.filter(({ has, headers }) => has === 1 || isInHeaders(headers, text));
  const bytes = entries.reduce((sum, { size, headers }) => sum + size + (headers?.length ?? 0), 0);
  return { found: found.map(({ seq }) => seq), bytes };
}

const HEADER_NAME = /^[\w-]+(?=:)/;

/** A header is searched as `name: value`. Names are stored in lowercase, but people write `X-GitHub-Event: push`. */
function isInHeaders(headers: RecordedHeaders | null, text: string): boolean {
  if (headers === null) return false;
  const named = text.replace(HEADER_NAME, (name) => name.toLowerCase());
  return Object.entries(parseRecordedHeaders(headers)).some(([name, value]) => {
    const line = `${name}: ${value}`;
    return line.includes(text) || line.startsWith(named);
  });
}
