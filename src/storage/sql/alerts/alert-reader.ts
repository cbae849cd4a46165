import { type Kysely, sql } from 'kysely';
import type { TokenId, WebhookUid } from '../../../core/ids.ts';
import type { AlertReader } from '../../../core/ports/alerts/alert-reader.ts';
import type { Schema } from '../schema/schema.ts';

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
        .orderBy('webhooks.factory')
        .orderBy('webhooks.name')
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
    failedAutomations: async (factory, limit) => {
      const rows = await db
        .selectFrom('automation_results')
        .select(['automation', 'recent', 'failures'])
        .where('factory', '=', factory)
        .where(sql<boolean>`failures > 0`)
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
      // Literals: SQLite uses the partial index only if its condition appears in the query.
      const { rows } = await sql<{ at: number }>`
        SELECT coalesce(run_attempts.requested_at, runs.created_at) AS at
        FROM runs LEFT JOIN run_attempts ON run_attempts.run = runs.seq AND run_attempts.number = runs.attempt
        WHERE runs.factory = ${factory} AND runs.state = 'queued' AND runs.gate IS NULL
        ORDER BY runs.seq LIMIT 1`.execute(db);
      return rows[0]?.at ?? null;
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
