import type { Kysely, SelectQueryBuilder } from 'kysely';
import { ENTRY_LABELS, type EntryLabel } from '../../../domain/resources/delivery.ts';
import type { Schema } from '../schema/schema.ts';
import { DELIVERIES } from '../schema/tables.ts';

type SelectSeq = SelectQueryBuilder<Schema, 'delivery_listing', { seq: number }>;

/** A range of row numbers: `from` is included, `before` is not. */
export interface SeqRange {
  from: number;
  before: number;
}

const ALL_ENTRIES: SeqRange = { from: 0, before: Number.MAX_SAFE_INTEGER };

/**
 * The row numbers of a webhook's log entries, newest first by default. `delivery_listing` orders the entries of each label. SQLite merges
 * the labels while it reads, so a page costs only its own rows.
 *
 * @param webhook the webhook's `ref`
 * @param labels only entries with one of these labels
 */
export function selectNewest(
  db: Kysely<Schema>,
  webhook: number,
  labels: readonly EntryLabel[] = ENTRY_LABELS,
  { from, before }: SeqRange = ALL_ENTRIES,
  order: 'asc' | 'desc' = 'desc',
): SelectSeq {
  const select = (label: EntryLabel): SelectSeq =>
    db
      .selectFrom('delivery_listing')
      .select('seq')
      .where('webhook', '=', webhook)
      .where('label', '=', DELIVERIES.encode('label', label))
      .where('seq', '>=', from)
      .where('seq', '<', before);
  const [first, ...others] = labels;
  return others.reduce((query, other) => query.unionAll(select(other)), select(first!)).orderBy('seq', order);
}
