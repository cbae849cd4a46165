import type { Kysely } from 'kysely';
import type { Schema } from '../schema/schema.ts';
import { CONTENTS, DELIVERIES } from '../schema/tables.ts';
import type { Piece } from './pass.ts';

/** A delivery that is being recorded may have been evaluated before the last apply. */
const MIN_AGE_MS = 3_600_000;

const ACCEPTED = DELIVERIES.encode('label', 'Accepted');

/**
 * Removes the listeners that no stored delivery was evaluated with. Deliveries are stored in the order of their applies,
 * so the oldest one of a webhook decides. A replay as of the time of its original can name an earlier apply: it keeps what it
 * started, but not why other automations did not start.
 */
export async function pruneListeners({ db, nowMs, limit }: Piece): Promise<{ rows: number }> {
  const webhooks = await db.selectFrom('webhooks').select('uid as webhook').execute();
  let removed = 0;
  for (const { webhook } of webhooks) {
    if (removed === limit) break;
    const oldest = await findOldestApply(db, webhook);
    const due = await db
      .selectFrom('listener_history')
      .select(['automation', 'first_apply'])
      .where('webhook', '=', webhook)
      .where('end_apply', '<=', oldest)
      .where('ended_at', '<', nowMs - MIN_AGE_MS)
      .limit(limit - removed)
      .execute();
    for (const { automation, first_apply } of due) {
      const key = { webhook, automation, first_apply };
      await db
        .deleteFrom('listener_history')
        .where((where) => where.and(key))
        .execute();
    }
    removed += due.length;
  }
  return { rows: removed };
}

/** 0 if it is of an earlier version, which stored no number. */
async function findOldestApply(db: Kysely<Schema>, uid: string): Promise<number> {
  const oldest = await db
    .selectFrom('delivery_listing')
    .innerJoin('delivery_contents', 'delivery_contents.delivery', 'delivery_listing.seq')
    .select('delivery_contents.decisions')
    .where('delivery_listing.webhook', '=', (select) =>
      select.selectFrom('webhooks').select('webhooks.ref').where('webhooks.uid', '=', uid),
    )
    .where('delivery_listing.label', '=', ACCEPTED)
    .orderBy('delivery_listing.seq')
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return Number.MAX_SAFE_INTEGER;
  const evaluation = CONTENTS.decode('decisions', oldest.decisions!);
  return 'decisions' in evaluation ? 0 : evaluation.applyNumber;
}
