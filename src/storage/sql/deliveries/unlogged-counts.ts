import { type Kysely, sql } from 'kysely';
import type { WebhookUid } from '../../../domain/ids.ts';
import { UNLOGGED_PERIOD_MS, type UnloggedCounts } from '../../../domain/ports/delivery-log.ts';
import type { Schema } from '../schema/schema.ts';

/** Counts of requests without an entry in the delivery log. */
export function createUnloggedCounts(db: Kysely<Schema>): UnloggedCounts {
  return {
    add: async (unlogged) => {
      await db.transaction().execute(async (trx) => {
        for (const { webhook, reason, count, lastAt } of unlogged) {
          const period = Math.floor(lastAt / UNLOGGED_PERIOD_MS);
          await sql`insert into unlogged_counts (webhook, period, reason, count, last_at)
            select ref, cast(${period} as bigint), ${reason}, cast(${count} as bigint), cast(${lastAt} as bigint)
              from webhooks where ref = ${webhook}
            on conflict (webhook, period, reason) do update set count = unlogged_counts.count + excluded.count,
              last_at = case when excluded.last_at > unlogged_counts.last_at then excluded.last_at else unlogged_counts.last_at end`.execute(
            trx,
          );
        }
      });
    },
    list: async ({ sinceAt, ...of }) => {
      const rows = await db
        .selectFrom('webhooks')
        .innerJoin('unlogged_counts', 'unlogged_counts.webhook', 'webhooks.ref')
        .select(['webhooks.uid', 'unlogged_counts.reason'])
        .select(({ fn }) => [
          fn.sum<number>('unlogged_counts.count').as('count'),
          fn.max('unlogged_counts.last_at').as('last_at'),
        ])
        .$if('factory' in of, (query) => query.where('webhooks.factory', '=', (of as { factory: string }).factory))
        .$if('webhookUid' in of, (query) => query.where('webhooks.uid', '=', (of as { webhookUid: string }).webhookUid))
        .where('unlogged_counts.period', '>=', Math.floor(sinceAt / UNLOGGED_PERIOD_MS))
        .where('unlogged_counts.last_at', '>=', sinceAt)
        .groupBy(['webhooks.uid', 'unlogged_counts.reason'])
        .execute();
      return rows.map(({ uid, reason, count, last_at }) => ({
        webhook: uid as WebhookUid,
        reason,
        count,
        lastAt: last_at,
      }));
    },
  };
}
