import { type Kysely, sql } from 'kysely';
import type { RunId, TokenId, WebhookUid } from '../../../domain/ids.ts';
import type { AlertReader, GuardedAutomation } from '../../../domain/ports/messages.ts';
import { MAX_EXAMINED_QUEUE } from '../../../domain/ports/run-queue.ts';
import { ENTRY_LABELS } from '../../../domain/resources/delivery.ts';
import { findFirstSince } from '../find-first-since.ts';
import type { Schema } from '../schema/schema.ts';
import { DELIVERIES } from '../schema/tables.ts';

const NO_LABEL = DELIVERIES.encode('label', null);
/** The labels of rows that stand for rejected requests, or for requests over the delivery rate. */
const UNACCEPTED = ENTRY_LABELS.filter((label) => label !== 'Accepted' && label !== 'Duplicate').map((label) =>
  DELIVERIES.encode('label', label),
);

/** What the rules of alerts read. */
export function createAlertReader(db: Kysely<Schema>): AlertReader {
  return {
    expectedWebhooks: async (limit) => {
      const rows = await db
        .selectFrom('webhooks')
        .leftJoin('webhook_traffic', 'webhook_traffic.webhook', 'webhooks.ref')
        .select(['webhooks.factory', 'webhooks.name', 'webhooks.uid', 'webhooks.updated_at'])
        .select(['webhooks.expect_every', 'webhook_traffic.last_accepted_at'])
        .where(sql<boolean>`webhooks.expect_every is not null`)
        .where('webhooks.enabled', '=', 1)
        .where('webhooks.deleted_at', 'is', null)
        // Those that accepted nothing for the longest time may be silent.
        .orderBy(sql`coalesce(webhook_traffic.last_accepted_at, webhooks.updated_at)`)
        .orderBy('webhooks.ref')
        .limit(limit)
        .execute();
      return rows.map(({ factory, name, uid, updated_at, expect_every, last_accepted_at }) => ({
        factory,
        name,
        uid: uid as WebhookUid,
        expectEvery: expect_every!,
        lastAcceptedAt: last_accepted_at,
        updatedAt: updated_at,
      }));
    },
    unacceptedRequests: async ({ from, until, limit }) => {
      const rows = await db
        .selectFrom('webhooks')
        .innerJoin('delivery_listing', 'delivery_listing.webhook', 'webhooks.ref')
        .innerJoin('deliveries', 'deliveries.seq', 'delivery_listing.seq')
        .select(['deliveries.webhook', 'deliveries.label', 'deliveries.count', 'deliveries.received_at'])
        .where('delivery_listing.label', 'in', UNACCEPTED)
        .where('delivery_listing.seq', '>=', await findFirstSince(db, 'deliveries', from))
        .where('deliveries.received_at', '<', until)
        .orderBy('delivery_listing.seq', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ webhook, label, count, received_at }) => ({
        webhook,
        kind: label === NO_LABEL ? 'limited' : 'rejected',
        count,
        receivedAt: received_at,
      }));
    },
    failedAutomations: async (factory, limit) => {
      const rows = await db
        .selectFrom('automation_results')
        .select(['automation', 'recent', 'failures'])
        .where('factory', '=', factory)
        .where(sql<boolean>`failures > 0`)
        .orderBy('failures', 'desc')
        .orderBy('automation')
        .limit(limit)
        .execute();
      return rows.map(({ automation, recent, failures }) => ({
        automation,
        failedInARow: /^f*/.exec(recent)![0].length,
        recent: recent.length,
        recentFailed: failures,
      }));
    },
    guardedAutomations: async ({ sinceAt, limit }) => {
      // Grouped before it is cut, so that many subjects of one automation hide no other.
      const { rows } = await sql<GuardedAutomation>`
        SELECT factory, automation, subject, subjects, deliveries
        FROM (
          SELECT factory, automation, subject, last_at,
            row_number() OVER (PARTITION BY factory, automation ORDER BY last_at DESC, subject) AS place,
            count(*) OVER (PARTITION BY factory, automation) AS subjects,
            CAST(sum(deliveries) OVER (PARTITION BY factory, automation) AS bigint) AS deliveries
          FROM loop_guards WHERE last_at > ${sinceAt}
        ) AS guarded
        WHERE place = 1 ORDER BY last_at DESC, factory, automation LIMIT ${limit}`.execute(db);
      return rows;
    },
    deadLetters: async ({ factory, sinceAt, limit }) => {
      const failed = db
        .selectFrom('runs')
        .select('finished_at')
        .where('state', '=', 'failed')
        .where('factory', '=', factory)
        .orderBy('seq', 'desc')
        .limit(limit);
      const { count } = await db
        .selectFrom(failed.as('failed'))
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('finished_at', '>=', sinceAt)
        .executeTakeFirstOrThrow();
      return count;
    },
    oldestWaiting: async (factory) => {
      // Only the beginning of the queue, because runs that wait for something else may be many.
      const { rows } = await sql<{ id: string; at: number }>`
        SELECT first.id, coalesce(run_attempts.requested_at, first.created_at) AS at
        FROM (
          SELECT seq, id, attempt, gate, created_at FROM runs WHERE factory = ${factory} AND state = 'queued'
          ORDER BY seq LIMIT ${MAX_EXAMINED_QUEUE}
        ) AS first LEFT JOIN run_attempts ON run_attempts.run = first.seq AND run_attempts.number = first.attempt
        WHERE first.gate IS NULL ORDER BY first.seq LIMIT 1`.execute(db);
      const [oldest] = rows;
      return oldest === undefined ? null : { run: oldest.id as RunId, at: oldest.at };
    },
    expiringTokens: async ({ from, until, limit }) => {
      const rows = await db
        .selectFrom('tokens')
        .select(['id', 'name', 'expires_at'])
        .where(sql<boolean>`expires_at is not null`)
        .where('expires_at', '>', from)
        .where('expires_at', '<=', until)
        .orderBy('expires_at')
        .limit(limit)
        .execute();
      return rows.map(({ id, name, expires_at }) => ({ id: id as TokenId, name, expiresAt: expires_at! }));
    },
  };
}
