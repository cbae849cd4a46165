import type { Kysely, Transaction } from 'kysely';
import type { AuditedChange } from '../../../domain/access/audit.ts';
import type { Condition, Reconciliation } from '../../../domain/applies/reconciliation.ts';
import type { WebhookUid } from '../../../domain/ids.ts';
import type { Inventory } from '../../../domain/ports/inventory.ts';
import type { AppliedAutomation } from '../../../domain/resources/automation.ts';
import { storeEntry } from '../access/audit-log.ts';
import type { Schema } from '../schema/schema.ts';
import { AUTOMATION_VERSIONS, AUTOMATIONS, FACTORIES, VERSION_COLUMNS, WEBHOOKS } from '../schema/tables.ts';
import { findAgentFiles } from './agent-files.ts';
import { applyChange, insertReconciliation } from './apply-change.ts';
import { selectReconciliations, toReconciliation } from './commits.ts';

type Database = Kysely<Schema>;

/** The applied definitions of all factories. */
export function createInventory(db: Database): Inventory {
  return {
    register: async (factory, at) => {
      const row = { name: factory, created_at: at };
      await db
        .insertInto('factories')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({ forgotten_at: null, created_at: at })
            .where('factories.forgotten_at', 'is not', null),
        )
        .execute();
    },
    load: (factory) => loadFactory(db, factory),
    apply: (change) => db.transaction().execute((trx) => applyChange(trx, change)),
    recordAttempt: (reconciliation, conditions) =>
      db.transaction().execute((trx) => recordAttempt(trx, reconciliation, conditions)),
    renewAttempt: (last, conditions) => db.transaction().execute((trx) => renewAttempt(trx, last, conditions)),
    pinSecret: (uid, versions, audit) => db.transaction().execute((trx) => pinSecret(trx, uid, versions, audit)),
    status: async (factory) => {
      const row = await db.selectFrom('factories').selectAll().where('name', '=', factory).executeTakeFirst();
      return row ? FACTORIES.fromRow(row) : null;
    },
    lastReconciliation: (factory) => findLastReconciliation(db, factory),
  };
}

async function pinSecret(
  trx: Transaction<Schema>,
  uid: WebhookUid,
  { from, to }: { from: number; to: number },
  audit: AuditedChange,
): Promise<boolean> {
  const { at } = audit.entry;
  const pinned = await trx
    .updateTable('webhooks')
    .set({ secret_version: to, previous_secret_version: null, secret_pinned_at: at, updated_at: at })
    .where('uid', '=', uid)
    .where('secret_version', '=', from)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (pinned.numUpdatedRows !== 1n) return false;
  await storeEntry(trx, audit);
  return true;
}

async function loadFactory(db: Database, name: string) {
  const factory = await db.selectFrom('factories').selectAll().where('name', '=', name).executeTakeFirst();
  if (!factory) return null;
  const webhooks = await selectWebhooks(db, name).orderBy('name').execute();
  const automations = await selectAutomations(db).where('automations.factory', '=', name).execute();
  return {
    name,
    revision: factory.applied_revision,
    applyNumber: factory.applies,
    webhooks: webhooks.map(WEBHOOKS.fromRow),
    automations: automations.map(toAppliedAutomation),
    agentFiles: await findAgentFiles(db, name, factory.applied_revision),
  };
}

/** Some webhooks, including deleted ones, and automations of a factory; `null` for a factory that was never registered. */
export async function loadObjects(
  db: Database,
  name: string,
  { webhooks: uids, automations: names }: { webhooks: readonly string[]; automations: readonly string[] },
) {
  const factory = await db
    .selectFrom('factories')
    .select(['applied_revision', 'applies'])
    .where('name', '=', name)
    .executeTakeFirst();
  if (!factory) return null;
  const webhooks = await selectWebhooks(db, name).where('uid', 'in', uids).execute();
  const automations = await selectAutomations(db)
    .where('automations.factory', '=', name)
    .where('automations.name', 'in', names)
    .execute();
  return {
    revision: factory.applied_revision,
    applyNumber: factory.applies,
    webhooks: webhooks.map(WEBHOOKS.fromRow),
    automations: automations.map(toAppliedAutomation),
  };
}

function selectWebhooks(db: Database, factory: string) {
  return db.selectFrom('webhooks').selectAll().where('factory', '=', factory).where('forgotten_at', 'is', null);
}

/** Automations with prompt, agent and overrides of their version, by name. */
export function selectAutomations(db: Database) {
  return db
    .selectFrom('automations')
    .innerJoin('automation_versions', 'automation_versions.version', 'automations.version')
    .selectAll('automations')
    .select(VERSION_COLUMNS)
    .orderBy('automations.name');
}

type AutomationJoinRow = Awaited<ReturnType<ReturnType<typeof selectAutomations>['executeTakeFirstOrThrow']>>;

export function toAppliedAutomation(row: AutomationJoinRow): AppliedAutomation {
  return { ...AUTOMATIONS.fromRow(row), ...AUTOMATION_VERSIONS.fromRow(row) };
}

async function recordAttempt(
  trx: Transaction<Schema>,
  reconciliation: Reconciliation,
  conditions: Condition[],
): Promise<void> {
  const { factory, revision, attemptedAt } = reconciliation;
  const attempted = { attempted_at: attemptedAt, conditions: FACTORIES.encode('conditions', conditions) };
  await trx
    .updateTable('factories')
    .set(revision === null ? attempted : { ...attempted, attempted_revision: revision })
    .where('name', '=', factory)
    .execute();
  await insertReconciliation(trx, reconciliation);
}

async function renewAttempt(
  trx: Transaction<Schema>,
  { id, factory, attemptedAt }: Pick<Reconciliation, 'id' | 'factory' | 'attemptedAt'>,
  conditions: Condition[],
): Promise<void> {
  const attempted = { attempted_at: attemptedAt };
  await trx
    .updateTable('factories')
    .set({ ...attempted, conditions: FACTORIES.encode('conditions', conditions) })
    .where('name', '=', factory)
    .execute();
  await trx.updateTable('reconciliations').set(attempted).where('id', '=', id).execute();
}

async function findLastReconciliation(db: Database, factory: string): Promise<Reconciliation | null> {
  const row = await selectReconciliations(db)
    .where('reconciliations.factory', '=', factory)
    .orderBy('reconciliations.seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? toReconciliation(row) : null;
}
