import { type Kysely, sql, type Transaction } from 'kysely';
import type { Alert } from '../../../domain/messages/alert.ts';
import type { AlertChanges, AlertRequest, AlertStore } from '../../../domain/ports/messages.ts';
import { cutPage, parseCursor } from '../cursor.ts';
import type { Schema } from '../schema/schema.ts';
import { ALERT_NOTICES, ALERTS } from '../schema/tables.ts';

/** Rows that one call of `prune` deletes, so that deliveries are written in between. */
const PRUNED_ROWS = 500;

/** The alerts, and the notifications that are written together with them. */
export function createAlertStore(db: Kysely<Schema>): AlertStore {
  return {
    active: async () => {
      const rows = await db
        .selectFrom('alerts')
        .selectAll()
        .where(sql<boolean>`state <> 'resolved'`)
        .orderBy('seq')
        .execute();
      return rows.map(ALERTS.fromRow);
    },
    change: (changes) => db.transaction().execute((trx) => writeChanges(trx, changes)),
    acknowledge: async (id, by, note, at) => {
      const row = await db
        .updateTable('alerts')
        .set({ state: 'acknowledged', acknowledged_at: at, acknowledged_by: JSON.stringify(by), note })
        .where('id', '=', id)
        .where('state', '=', 'open')
        .returningAll()
        .executeTakeFirst();
      return row ? ALERTS.fromRow(row) : null;
    },
    get: async (id) => {
      const row = await db.selectFrom('alerts').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? ALERTS.fromRow(row) : null;
    },
    list: async (request) => {
      const { rows, nextCursor } = cutPage(await selectAlerts(db, request).execute(), request.limit);
      return { data: rows.map(ALERTS.fromRow), nextCursor };
    },
    prune: (before) => db.transaction().execute((trx) => prune(trx, before)),
  };
}

async function writeChanges(trx: Transaction<Schema>, { opened, changed, notices }: AlertChanges): Promise<void> {
  // First those that end: a renamed factory has both under its new name.
  for (const alert of changed) await writeChange(trx, alert);
  for (const alert of opened) await trx.insertInto('alerts').values(ALERTS.toRow(alert)).execute();
  for (const notice of notices) await trx.insertInto('alert_notices').values(ALERT_NOTICES.toRow(notice)).execute();
}

/** An acknowledgement is written by `acknowledge` alone. */
async function writeChange(trx: Transaction<Schema>, alert: Alert): Promise<void> {
  const { summary, last_seen_at, clear_since, resolved_at, count, notified_at } = ALERTS.toRow(alert);
  const state = alert.state === 'resolved' ? { state: 'resolved' } : {};
  await trx
    .updateTable('alerts')
    .set({ summary, last_seen_at, clear_since, resolved_at, count, notified_at, ...state })
    .where('id', '=', alert.id)
    .where('state', '<>', 'resolved')
    .execute();
}

function selectAlerts(db: Kysely<Schema>, { state, rule, factories, cursor, limit }: AlertRequest) {
  const before = parseCursor(cursor);
  return db
    .selectFrom('alerts')
    .selectAll()
    .$if(state === 'active', (query) => query.where(sql<boolean>`state <> 'resolved'`))
    .$if(state !== null && state !== 'active', (query) => query.where('state', '=', state as string))
    .$if(rule !== null, (query) => query.where('rule', '=', rule as string))
    .$if(factories !== null, (query) => query.where('factory', 'in', factories as string[]))
    .$if(before !== null, (query) => query.where('seq', '<', before as number))
    .orderBy('seq', 'desc')
    .limit(limit + 1);
}

async function prune(trx: Transaction<Schema>, before: number): Promise<void> {
  const old = trx
    .selectFrom('alerts')
    .select('seq')
    .where(sql<boolean>`state = 'resolved'`)
    .where('resolved_at', '<', before)
    .limit(PRUNED_ROWS);
  await trx.deleteFrom('alerts').where('seq', 'in', old).execute();
  await trx.deleteFrom('alert_notices').where('due_at', '<', before).execute();
  await trx.deleteFrom('alert_messages').where('created_at', '<', before).execute();
}
