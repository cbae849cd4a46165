import type { Kysely, Transaction } from 'kysely';
import { triggerFiltersByWebhook } from '../../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../../domain/ids.ts';
import type { ListenerSearch } from '../../../domain/ports/delivery-log.ts';
import type { AppliedChange } from '../../../domain/ports/inventory.ts';
import type { AppliedAutomation } from '../../../domain/resources/automation.ts';
import type { PastListener } from '../../../domain/resources/delivery.ts';
import type { Schema } from '../schema/schema.ts';
import { LISTENERS } from '../schema/tables.ts';

/** Maximum number of names or rows of one statement, because the number of its parameters is limited. */
const MAX_ROWS = 500;

/** What changes which automations listen to a webhook. */
type ListenerChange = Pick<AppliedChange, 'factory' | 'at' | 'deleteAutomations'> & {
  automations: readonly Pick<AppliedAutomation, 'name' | 'enabled' | 'triggers' | 'listensTo'>[];
};

/**
 * Writes the history of the listeners for an apply and returns its number. Each row is an automation that listens to a
 * webhook, from the first apply with these filters to the first one without them. Unchanged automations may be omitted.
 */
export async function recordListeners(trx: Transaction<Schema>, change: ListenerChange): Promise<number> {
  const { applies } = await trx
    .updateTable('factories')
    .set((set) => ({ applies: set('applies', '+', 1) }))
    .where('name', '=', change.factory)
    .returning('applies')
    .executeTakeFirstOrThrow();
  const wanted = new Map(change.automations.flatMap(listRows).map((row) => [describe(row), row]));
  const names = [...change.automations.map(({ name }) => name), ...change.deleteAutomations];
  for (const some of pieces(names)) {
    for (const row of await selectLive(trx, change.factory, some)) {
      const listener = LISTENERS.fromRow(row);
      if (!wanted.delete(describe(listener))) await endRow(trx, listener, applies, change.at);
    }
  }
  for (const some of pieces([...wanted.values()])) {
    const rows = some.map((listener) => ({
      ...LISTENERS.toRow(listener),
      factory: change.factory,
      first_apply: applies,
      end_apply: null,
      ended_at: null,
    }));
    await trx.insertInto('listener_history').values(rows).execute();
  }
  return applies;
}

interface HistoryRow extends PastListener {
  webhook: WebhookUid;
}

function listRows(automation: ListenerChange['automations'][number]): HistoryRow[] {
  const { name, enabled } = automation;
  return Array.from(triggerFiltersByWebhook(automation), ([webhook, filters]) => {
    return { webhook, automation: name, enabled, filters };
  });
}

/** Equal for rows that mean the same. */
function describe({ webhook, automation, enabled, filters }: HistoryRow): string {
  return JSON.stringify([webhook, automation, enabled, filters]);
}

function selectLive(trx: Transaction<Schema>, factory: string, names: readonly string[]) {
  return trx
    .selectFrom('listener_history')
    .selectAll()
    .where('factory', '=', factory)
    .where('automation', 'in', names)
    .where('end_apply', 'is', null)
    .execute();
}

async function endRow(
  trx: Transaction<Schema>,
  { webhook, automation }: HistoryRow,
  endApply: number,
  at: number,
): Promise<void> {
  await trx
    .updateTable('listener_history')
    .set({ end_apply: endApply, ended_at: at })
    .where('webhook', '=', webhook)
    .where('automation', '=', automation)
    .where('end_apply', 'is', null)
    .execute();
}

function* pieces<Item>(all: readonly Item[]): Iterable<Item[]> {
  for (let at = 0; at < all.length; at += MAX_ROWS) yield all.slice(at, at + MAX_ROWS);
}

/** The automations that listened to a webhook at an apply, by name. */
export async function findListeners(
  db: Kysely<Schema>,
  { webhook, applyNumber, names, after, limit }: ListenerSearch,
): Promise<PastListener[]> {
  const rows = await db
    .selectFrom('listener_history')
    .selectAll()
    .where('webhook', '=', webhook)
    .where('first_apply', '<=', applyNumber)
    .where((where) => where.or([where('end_apply', 'is', null), where('end_apply', '>', applyNumber)]))
    .$if(names !== null, (query) => query.where('automation', 'in', names!))
    .$if(after !== null, (query) => query.where('automation', '>', after!))
    .orderBy('automation')
    .limit(limit)
    .execute();
  return rows.map((row) => {
    const { automation, enabled, filters } = LISTENERS.fromRow(row);
    return { automation, enabled, filters };
  });
}
