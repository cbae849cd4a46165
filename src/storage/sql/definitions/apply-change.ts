import { createHash } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { Reconciliation } from '../../../domain/applies/reconciliation.ts';
import { AppError } from '../../../domain/errors.ts';
import type {
  AppliedChange,
  AssignedNumbers,
  AutomationRow,
  Remark,
  WebhookRow,
} from '../../../domain/ports/inventory.ts';
import { storeEntry } from '../access/audit-log.ts';
import { cutRows } from '../cut-rows.ts';
import type { Schema } from '../schema/schema.ts';
import { AUTOMATION_VERSIONS, AUTOMATIONS, FACTORIES, RECONCILIATIONS, WEBHOOKS } from '../schema/tables.ts';
import { storeAgentFiles } from './agent-files.ts';
import { insertCommit } from './commits.ts';
import { recordListeners } from './listener-history.ts';

/** Writes exactly the rows of the change, in one transaction. The cost follows the change, not the size of the factory. */
export async function applyChange(trx: Transaction<Schema>, change: AppliedChange): Promise<AssignedNumbers> {
  await deleteWebhooks(trx, change);
  await releaseNames(trx, change);
  const plannedFrom = new Map(change.plannedFrom);
  const refs: [string, number][] = [];
  for (const webhook of change.webhooks) {
    refs.push([webhook.uid, await upsertWebhook(trx, webhook, plannedFrom.get(webhook.uid))]);
  }
  const versions: number[] = [];
  for (const rows of cutRows(change.automations)) versions.push(...(await upsertAutomations(trx, change, rows)));
  for (const rows of cutRows(change.remarks)) await updateWarnings(trx, change, rows);
  for (const names of cutRows(change.deleteAutomations)) await deleteAutomations(trx, change, names);
  const applyNumber = await recordListeners(trx, change);
  await storeAgentFiles(trx, change);
  await insertReconciliation(trx, change.reconciliation);
  await storeEntry(trx, change.audit);
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
  return { applyNumber, webhooks: refs, automations: versions };
}

export async function insertReconciliation(trx: Transaction<Schema>, reconciliation: Reconciliation): Promise<void> {
  await trx.insertInto('reconciliations').values(RECONCILIATIONS.toRow(reconciliation)).execute();
  await insertCommit(trx, reconciliation);
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

/**
 * Returns the number of the row.
 *
 * @param plannedFrom the pinned version of the secret that the stored row must have
 */
async function upsertWebhook(
  trx: Transaction<Schema>,
  webhook: WebhookRow,
  plannedFrom: number | undefined,
): Promise<number> {
  const row = WEBHOOKS.toRow({ ...webhook, createdAt: webhook.updatedAt, deletedAt: null });
  const { uid: _, created_at: __, ...changed } = row;
  const written = await trx
    .insertInto('webhooks')
    .values(row)
    .onConflict((conflict) => {
      const update = conflict.column('uid').doUpdateSet(changed);
      return plannedFrom === undefined ? update : update.where('webhooks.secret_version', '=', plannedFrom);
    })
    .returning('ref')
    .executeTakeFirst();
  if (written === undefined)
    throw new AppError('conflict', `a sender supplied a new secret of ${webhook.name} meanwhile`);
  return written.ref;
}

/** A deleted webhook names the revision that deleted it. */
async function deleteWebhooks(
  trx: Transaction<Schema>,
  { deleteWebhooks: uids, revision, at }: AppliedChange,
): Promise<void> {
  if (uids.length === 0) return;
  const deletion = { deleted_at: at, updated_at: at, revision };
  await trx.updateTable('webhooks').set(deletion).where('uid', 'in', uids).execute();
}

/** Every column except the key takes the value of the row that is inserted. */
const NEW_VALUES = Object.fromEntries(
  AUTOMATIONS.inserted
    .filter((column) => column !== 'factory' && column !== 'name')
    .map((column) => [column, sql.ref(`excluded.${column}`)]),
);

/** Returns the version of each, in their order. */
async function upsertAutomations(
  trx: Transaction<Schema>,
  { factory }: AppliedChange,
  automations: readonly AutomationRow[],
): Promise<number[]> {
  const versions = await storeVersions(trx, factory, automations);
  const rows = automations.map((automation, index) => AUTOMATIONS.toRow({ ...automation, version: versions[index]! }));
  await trx
    .insertInto('automations')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['factory', 'name']).doUpdateSet(NEW_VALUES))
    .execute();
  return versions;
}

/** Stores the fields that runs refer to once per content. A version stays until no run refers to it. */
async function storeVersions(
  trx: Transaction<Schema>,
  factory: string,
  automations: readonly AutomationRow[],
): Promise<number[]> {
  const rows = automations.map((automation) => {
    const content = AUTOMATION_VERSIONS.toRow(automation);
    return { ...content, factory, name: automation.name, digest: digestOf(content) };
  });
  await trx
    .insertInto('automation_versions')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const wanted = new Map(rows.map(({ name, digest }) => [name, digest]));
  const names = [...wanted.keys()];
  const stored = await trx
    .selectFrom('automation_versions')
    .select(['name', 'digest', 'version'])
    .where('factory', '=', factory)
    .where('name', 'in', names)
    .execute();
  const current = stored.filter(({ name, digest }) => wanted.get(name) === digest);
  const versions = new Map(current.map(({ name, version }) => [name, version]));
  return automations.map(({ name }) => versions.get(name)!);
}

/** Keys of later versions count only if they are set, so that stored digests remain valid. */
function digestOf({ prompt, agent, overrides, ...policy }: ReturnType<typeof AUTOMATION_VERSIONS.toRow>): string {
  const set = Object.entries(policy).filter(([, value]) => value !== null);
  return createHash('sha256')
    .update(JSON.stringify([prompt, agent, overrides, ...set]))
    .digest('hex');
}

async function updateWarnings(
  trx: Transaction<Schema>,
  { factory }: AppliedChange,
  remarks: readonly Remark[],
): Promise<void> {
  const rows = remarks.map(({ name, warnings }) => sql`(${name}, ${AUTOMATIONS.encode('warnings', warnings)})`);
  await sql`
    WITH remarks (name, warnings) AS (VALUES ${sql.join(rows)})
    UPDATE automations SET warnings = remarks.warnings FROM remarks
    WHERE automations.factory = ${factory} AND automations.name = remarks.name
  `.execute(trx);
}

async function deleteAutomations(
  trx: Transaction<Schema>,
  { factory }: AppliedChange,
  names: readonly string[],
): Promise<void> {
  await trx.deleteFrom('automations').where('factory', '=', factory).where('name', 'in', names).execute();
}
