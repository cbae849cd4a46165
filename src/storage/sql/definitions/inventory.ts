import { createHash } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { AppliedFactory } from '../../../core/applied.ts';
import type { WebhookUid } from '../../../core/ids.ts';
import type { AppliedChange, AutomationRow, Inventory, WebhookRow } from '../../../core/ports/definitions/inventory.ts';
import type { Condition, Reconciliation } from '../../../core/reconciliation.ts';
import type { AppliedAutomation } from '../../../core/resources/automation.ts';
import type { Schema } from '../schema/schema.ts';
import { AUTOMATION_VERSIONS, AUTOMATIONS, FACTORIES, RECONCILIATIONS, WEBHOOKS } from '../schema/tables.ts';

type Database = Kysely<Schema>;

/** The applied definitions of all factories. */
export function createInventory(db: Database): Inventory {
  return {
    register: async (factory, at) => {
      const row = { name: factory, created_at: at };
      await db
        .insertInto('factories')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    load: (factory) => loadFactory(db, factory),
    apply: (change) => db.transaction().execute((trx) => applyChange(trx, change)),
    recordAttempt: (reconciliation, conditions) =>
      db.transaction().execute((trx) => recordAttempt(trx, reconciliation, conditions)),
    pinSecret: (uid, versions, at) => pinSecret(db, uid, versions, at),
    status: async (factory) => {
      const row = await db.selectFrom('factories').selectAll().where('name', '=', factory).executeTakeFirst();
      return row ? FACTORIES.fromRow(row) : null;
    },
    lastReconciliation: (factory) => findLastReconciliation(db, factory),
  };
}

async function pinSecret(
  db: Database,
  uid: WebhookUid,
  { from, to }: { from: number; to: number },
  at: number,
): Promise<boolean> {
  const pinned = await db
    .updateTable('webhooks')
    .set({ secret_version: to, updated_at: at })
    .where('uid', '=', uid)
    .where('secret_version', '=', from)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return pinned.numUpdatedRows === 1n;
}

async function loadFactory(db: Database, name: string) {
  const factory = await db.selectFrom('factories').selectAll().where('name', '=', name).executeTakeFirst();
  if (!factory) return null;
  const webhooks = await db.selectFrom('webhooks').selectAll().where('factory', '=', name).orderBy('name').execute();
  const automations = await selectAutomations(db).where('automations.factory', '=', name).execute();
  return {
    name,
    revision: factory.applied_revision,
    webhooks: webhooks.map(WEBHOOKS.fromRow),
    automations: automations.map(toAppliedAutomation),
  };
}

/** Automations with prompt, agent and overrides of their version, by name. */
export function selectAutomations(db: Database) {
  return db
    .selectFrom('automations')
    .innerJoin('automation_versions', 'automation_versions.version', 'automations.version')
    .selectAll('automations')
    .select(['automation_versions.prompt', 'automation_versions.agent', 'automation_versions.overrides'])
    .orderBy('automations.name');
}

type AutomationJoinRow = Awaited<ReturnType<ReturnType<typeof selectAutomations>['executeTakeFirstOrThrow']>>;

export function toAppliedAutomation(row: AutomationJoinRow): AppliedAutomation {
  return { ...AUTOMATIONS.fromRow(row), ...AUTOMATION_VERSIONS.fromRow(row) };
}

async function applyChange(trx: Transaction<Schema>, change: AppliedChange): Promise<AppliedFactory> {
  await deleteWebhooks(trx, change);
  await releaseNames(trx, change);
  for (const webhook of change.webhooks) await upsertWebhook(trx, webhook);
  for (const automation of change.automations) await upsertAutomation(trx, automation);
  await deleteAutomations(trx, change);
  await insertReconciliation(trx, change.reconciliation);
  await trx
    .updateTable('factories')
    .set({
      applied_revision: change.revision,
      applied_at: change.at,
      applied_source: change.source,
      attempted_revision: change.revision,
      attempted_at: change.at,
      conditions: FACTORIES.encode('conditions', change.conditions),
    })
    .where('name', '=', change.factory)
    .execute();
  return (await loadFactory(trx, change.factory))!;
}

/** Two webhooks may swap their names. Renaming each to its UID first keeps the names unique in between. */
async function releaseNames(trx: Transaction<Schema>, { factory, webhooks }: AppliedChange): Promise<void> {
  for (const { uid, name } of webhooks) {
    await trx
      .updateTable('webhooks')
      .set({ name: uid })
      .where('factory', '=', factory)
      .where('uid', '=', uid)
      .where('name', '!=', name)
      .execute();
  }
}

async function upsertWebhook(trx: Transaction<Schema>, webhook: WebhookRow): Promise<void> {
  const row = WEBHOOKS.toRow({ ...webhook, createdAt: webhook.updatedAt, deletedAt: null });
  const { uid: _, created_at: __, ...changed } = row;
  await trx
    .insertInto('webhooks')
    .values(row)
    .onConflict((conflict) => conflict.column('uid').doUpdateSet(changed))
    .execute();
}

async function deleteWebhooks(trx: Transaction<Schema>, { deleteWebhooks: uids, at }: AppliedChange): Promise<void> {
  if (uids.length === 0) return;
  await trx.updateTable('webhooks').set({ deleted_at: at, updated_at: at }).where('uid', 'in', uids).execute();
}

async function upsertAutomation(trx: Transaction<Schema>, automation: AutomationRow): Promise<void> {
  const row = AUTOMATIONS.toRow({ ...automation, version: await findOrInsertVersion(trx, automation) });
  const { factory: _, name: __, ...changed } = row;
  await trx
    .insertInto('automations')
    .values(row)
    .onConflict((conflict) => conflict.columns(['factory', 'name']).doUpdateSet(changed))
    .execute();
}

/** Stores the fields that runs refer to once per content. A version stays until no run refers to it. */
async function findOrInsertVersion(trx: Transaction<Schema>, automation: AutomationRow): Promise<number> {
  const { factory, name } = automation;
  const content = AUTOMATION_VERSIONS.toRow(automation);
  const digest = createHash('sha256')
    .update(JSON.stringify([content.prompt, content.agent, content.overrides]))
    .digest('hex');
  const found = await trx
    .selectFrom('automation_versions')
    .select('version')
    .where((where) => where.and({ factory, name, digest }))
    .executeTakeFirst();
  if (found) return found.version;
  const inserted = await trx
    .insertInto('automation_versions')
    .values({ ...content, factory, name, digest })
    .returning('version')
    .executeTakeFirstOrThrow();
  return inserted.version;
}

async function deleteAutomations(trx: Transaction<Schema>, change: AppliedChange): Promise<void> {
  if (change.deleteAutomations.length === 0) return;
  await trx
    .deleteFrom('automations')
    .where('factory', '=', change.factory)
    .where('name', 'in', change.deleteAutomations)
    .execute();
}

async function recordAttempt(
  trx: Transaction<Schema>,
  reconciliation: Reconciliation,
  conditions: Condition[],
): Promise<Reconciliation> {
  const { factory, revision, attemptedAt } = reconciliation;
  const attempted = { attempted_at: attemptedAt, conditions: FACTORIES.encode('conditions', conditions) };
  await trx
    .updateTable('factories')
    .set(revision === null ? attempted : { ...attempted, attempted_revision: revision })
    .where('name', '=', factory)
    .execute();
  const last = await findLastReconciliation(trx, factory);
  if (last === null || !isSameOutcome(last, reconciliation)) {
    await insertReconciliation(trx, reconciliation);
    return reconciliation;
  }
  await trx.updateTable('reconciliations').set({ attempted_at: attemptedAt }).where('id', '=', last.id).execute();
  return { ...last, attemptedAt };
}

function isSameOutcome(a: Reconciliation, b: Reconciliation): boolean {
  const digest = ({ revision, result, reason, diagnostics }: Reconciliation) =>
    JSON.stringify([revision, result, reason, diagnostics]);
  return digest(a) === digest(b);
}

async function findLastReconciliation(db: Database, factory: string): Promise<Reconciliation | null> {
  const row = await db
    .selectFrom('reconciliations')
    .selectAll()
    .where('factory', '=', factory)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? RECONCILIATIONS.fromRow(row) : null;
}

async function insertReconciliation(trx: Transaction<Schema>, reconciliation: Reconciliation): Promise<void> {
  await trx.insertInto('reconciliations').values(RECONCILIATIONS.toRow(reconciliation)).execute();
}
