import { type Kysely, sql } from 'kysely';
import type { WebhookUid } from '../../../domain/ids.ts';
import { type ActivityReader, type ActivitySpan, HOUR_MS, type RunCount } from '../../../domain/ports/delivery-log.ts';
import type { DeliveryLabel } from '../../../domain/resources/delivery.ts';
import { RUN_STATES, type RunState } from '../../../domain/resources/run.ts';
import { findFirstSince } from '../find-first-since.ts';
import type { Schema } from '../schema/schema.ts';
import { DELIVERIES } from '../schema/tables.ts';

/** Counts for charts: deliveries from stored hourly counts, runs from an index that contains every counted column. */
export function createActivityReader(db: Kysely<Schema>): ActivityReader {
  return {
    deliveries: async ({ factory, fromAt, untilAt }) => {
      const rows = await db
        .selectFrom('webhooks')
        .innerJoin('delivery_counts', 'delivery_counts.webhook', 'webhooks.ref')
        .select(['webhooks.uid', 'delivery_counts.hour', 'delivery_counts.label', 'delivery_counts.count'])
        .where('webhooks.factory', '=', factory)
        .where('delivery_counts.hour', '>=', fromAt / HOUR_MS)
        .where('delivery_counts.hour', '<', untilAt / HOUR_MS)
        .execute();
      return rows.map(({ uid, hour, label, count }) => ({
        webhook: uid as WebhookUid,
        hourAt: hour * HOUR_MS,
        // Entries without a label are not counted.
        label: DELIVERIES.decode('label', label) as DeliveryLabel,
        count,
      }));
    },
    runs: (span) => countRuns(db, span),
  };
}

/** Counts each hour as a range of row numbers, so that only the index is read. */
async function countRuns(db: Kysely<Schema>, { factory, fromAt, untilAt }: ActivitySpan): Promise<RunCount[]> {
  const counts: RunCount[] = [];
  let first = await findFirstSince(db, 'runs', fromAt);
  for (let hourAt = fromAt; hourAt < untilAt; hourAt += HOUR_MS) {
    const next = await findFirstSince(db, 'runs', hourAt + HOUR_MS);
    if (next > first)
      counts.push(...(await countHour(db, factory, { first, next })).map((one) => ({ hourAt, ...one })));
    first = next;
  }
  return counts;
}

async function countHour(db: Kysely<Schema>, factory: string, { first, next }: { first: number; next: number }) {
  const ofState = (state: RunState) =>
    sql<number>`(select count(*) from runs where state = ${state} and factory = ${factory} and seq >= ${first} and seq < ${next})`;
  const row = await db.selectNoFrom(RUN_STATES.map((state) => ofState(state).as(state))).executeTakeFirstOrThrow();
  return RUN_STATES.map((state) => ({ state, count: row[state] })).filter(({ count }) => count > 0);
}
