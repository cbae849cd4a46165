import { type Kysely, sql, type Transaction } from 'kysely';
import type { AlertEvent, AlertItem } from '../../../domain/messages/alert.ts';
import type { AlertMessages } from '../../../domain/ports/messages.ts';
import type { Schema } from '../schema/schema.ts';
import { ALERT_MESSAGES, ALERTS } from '../schema/tables.ts';

/** The queue of messages about alerts. */
export function createAlertMessages(db: Kysely<Schema>): AlertMessages {
  return {
    nextDueAt: async (target) => {
      const row = await db
        .selectFrom('alert_notices')
        .select('due_at')
        .where('target', '=', target)
        .orderBy('due_at')
        .limit(1)
        .executeTakeFirst();
      return row?.due_at ?? null;
    },
    compose: (message) => db.transaction().execute((trx) => compose(trx, message)),
    next: async (target) => {
      const row = await db
        .selectFrom('alert_messages')
        .selectAll()
        .where('target', '=', target)
        .orderBy('seq')
        .limit(1)
        .executeTakeFirst();
      return row ? ALERT_MESSAGES.fromRow(row) : null;
    },
    postpone: async (id, { problem, dueAt }) => {
      await db
        .updateTable('alert_messages')
        .set({ problem, due_at: dueAt, attempts: sql<number>`attempts + 1` })
        .where('id', '=', id)
        .execute();
    },
    remove: async (id) => {
      await db.deleteFrom('alert_messages').where('id', '=', id).execute();
    },
  };
}

/** One transaction: a notification is part of exactly one message. */
async function compose(
  trx: Transaction<Schema>,
  { id, target, at, limit }: Parameters<AlertMessages['compose']>[0],
): Promise<void> {
  const rows = await trx
    .selectFrom('alert_notices')
    .leftJoin('alerts', 'alerts.id', 'alert_notices.alert')
    .select(['alert_notices.seq as notice_seq', 'alert_notices.event'])
    .selectAll('alerts')
    .where('alert_notices.target', '=', target)
    .orderBy('alert_notices.seq')
    .limit(limit)
    .execute();
  if (rows.length === 0) return;
  // An alert that ended before its message is sent once, as resolved.
  const items = new Map<string, AlertItem>();
  for (const { notice_seq: _, event, ...row } of rows) {
    if (row.id === null) continue;
    items.set(row.id, toItem(row as Parameters<typeof ALERTS.fromRow>[0], event as AlertEvent));
  }
  const notices = rows.map(({ notice_seq: seq }) => seq);
  await trx.deleteFrom('alert_notices').where('seq', 'in', notices).execute();
  if (items.size === 0) return;
  const message = { id, target, items: [...items.values()], createdAt: at, attempts: 0, dueAt: at, problem: null };
  await trx.insertInto('alert_messages').values(ALERT_MESSAGES.toRow(message)).execute();
}

function toItem(row: Parameters<typeof ALERTS.fromRow>[0], event: AlertEvent): AlertItem {
  const { id, rule, factory, object, objectId, summary, openedAt, resolvedAt, count } = ALERTS.fromRow(row);
  return { id, rule, factory, object, objectId, summary, openedAt, resolvedAt, count, event };
}
