import { type Kysely, sql } from 'kysely';
import type { InventoryReader, SecretState, WebhookView } from '../../../core/ports/definitions/inventory.ts';
import { NEWEST_OF_WEBHOOK } from '../deliveries/select-newest.ts';
import type { Schema } from '../schema/schema.ts';
import { FACTORIES, WEBHOOKS } from '../schema/tables.ts';
import { selectAutomations, toAppliedAutomation } from './inventory.ts';

/** Reads the inventory for the management API. */
export function createInventoryReader(db: Kysely<Schema>): InventoryReader {
  return {
    factories: async () => {
      const rows = await db.selectFrom('factories').selectAll().orderBy('name').execute();
      return rows.map(FACTORIES.fromRow);
    },
    counts: (factory) => countAll(db, factory),
    webhooks: async (factory) => {
      const query = selectViews(db).where('webhooks.factory', '=', factory).where('webhooks.deleted_at', 'is', null);
      return (await query.execute()).map(toWebhookView);
    },
    webhook: async (uid) => {
      const row = await selectViews(db).where('webhooks.uid', '=', uid).executeTakeFirst();
      return row ? toWebhookView(row) : null;
    },
    automations: async (factory) => {
      const rows = await selectAutomations(db).where('automations.factory', '=', factory).execute();
      return rows.map(toAppliedAutomation);
    },
    automation: async (factory, name) => {
      const query = selectAutomations(db)
        .where('automations.factory', '=', factory)
        .where('automations.name', '=', name);
      const row = await query.executeTakeFirst();
      return row ? toAppliedAutomation(row) : null;
    },
  };
}

/** Webhooks with the newest versions of their secrets and the time of their last delivery. */
function selectViews(db: Kysely<Schema>) {
  return db
    .selectFrom('webhooks')
    .leftJoin('secret_names', 'secret_names.name', 'webhooks.secret_name')
    .leftJoin('secret_names as verify_tokens', 'verify_tokens.name', 'webhooks.verify_token_secret_name')
    .selectAll('webhooks')
    .select(['secret_names.newest_version', 'verify_tokens.newest_version as newest_verify_token'])
    .select((select) =>
      select
        .selectFrom('deliveries')
        .select('received_at')
        .where('deliveries.seq', '=', NEWEST_OF_WEBHOOK)
        .as('last_delivery_at'),
    )
    .orderBy('webhooks.name');
}

type ViewRow = Awaited<ReturnType<ReturnType<typeof selectViews>['executeTakeFirstOrThrow']>>;

function toWebhookView(row: ViewRow): WebhookView {
  return {
    ...WEBHOOKS.fromRow(row),
    secretState: rateSecret(row.secret_version, row.newest_version),
    verifyTokenSecretState:
      row.verify_token_secret_name === null
        ? null
        : rateSecret(row.verify_token_secret_version, row.newest_verify_token),
    lastDeliveryAt: row.last_delivery_at,
  };
}

function rateSecret(pinned: number | null, newest: number | null): SecretState {
  if (newest === null) return 'missing';
  return newest === pinned ? 'current' : 'outdated';
}

async function countAll(db: Kysely<Schema>, factory: string) {
  const countRuns = (state: string) =>
    sql<number>`(select count(*) from runs where factory = ${factory} and state = ${state})`;
  const counted = await db
    .selectNoFrom([
      sql<number>`(select count(*) from webhooks where factory = ${factory} and deleted_at is null)`.as('webhooks'),
      sql<number>`(select count(*) from automations where factory = ${factory})`.as('automations'),
      countRuns('queued').as('queuedRuns'),
      countRuns('running').as('runningRuns'),
    ])
    .executeTakeFirstOrThrow();
  return counted;
}
