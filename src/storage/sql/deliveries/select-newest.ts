import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { DELIVERY_LABELS, type DeliveryLabel } from '../../../core/delivery.ts';
import { DELIVERIES } from '../schema/delivery-tables.ts';
import type { Schema } from '../schema/schema.ts';

type SelectSeq = SelectQueryBuilder<Schema, 'deliveries', { seq: number }>;

/** Numbers of entries: those from `from` on, before `before`. */
export interface SeqRange {
  from: number;
  before: number;
}

export const ALL_ENTRIES: SeqRange = { from: 0, before: Number.MAX_SAFE_INTEGER };

/**
 * The numbers of a webhook's log entries, newest first. The entries of each label lie in order in one index; SQLite
 * merges the labels as it walks, so that a page costs its own rows only.
 *
 * @param webhook the webhook's `ref`
 * @param label `null` for all
 */
export function selectNewest(
  db: Kysely<Schema>,
  webhook: number,
  label: DeliveryLabel | null = null,
  { from, before }: SeqRange = ALL_ENTRIES,
): SelectSeq {
  const select = (name: DeliveryLabel): SelectSeq =>
    db
      .selectFrom('deliveries')
      .select('seq')
      .where('webhook', '=', webhook)
      .where('label', '=', DELIVERIES.encode('label', name))
      .where('seq', '>=', from)
      .where('seq', '<', before);
  const [first, ...others] = label === null ? DELIVERY_LABELS : [label];
  return others.reduce((query, other) => query.unionAll(select(other)), select(first!)).orderBy('seq', 'desc');
}

/** As an expression beside a row of `webhooks`: the number of its newest entry, 0 where there is none. */
export const NEWEST_OF_WEBHOOK = sql<number>`max(${sql.join(
  DELIVERY_LABELS.map(
    (label) => sql`coalesce((
      select max(newest.seq) from deliveries as newest where newest.webhook = webhooks.ref and newest.label = ${sql.lit(DELIVERIES.encode('label', label))}
    ), 0)`,
  ),
)})`;
