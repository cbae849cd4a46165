import { sql, type Transaction } from 'kysely';
import type { RenameOrder, RenameOutcome } from '../../../domain/ports/definitions.ts';
import { replaceInScopes } from '../operation/secret-scopes.ts';
import type { Schema } from '../schema/schema.ts';
import { deleteAllAutomations } from './delete-automations.ts';

/** The tables whose rows get the new name as they are. */
const PLAIN_TABLES = [
  'alerts',
  'automations',
  'listener_history',
  'reconciliations',
  'replays',
  'runs',
  'webhooks',
] as const;

/** One transaction, so that a crash leaves the old state or the new one. The cost follows the history of the factory. */
export async function renameFactory(trx: Transaction<Schema>, order: RenameOrder): Promise<RenameOutcome> {
  const { from, to, isHosted, at } = order;
  const renamed = await trx
    .selectFrom('factories')
    .selectAll()
    .where('name', '=', from)
    .where('forgotten_at', 'is', null)
    .executeTakeFirst();
  if (renamed === undefined) return { kind: 'unknown' };
  if (isHosted && (await hasDefinition(trx, to))) return { kind: 'defined' };
  const webhooks = await listReceiving(trx, order);
  if (webhooks.length > 0) return { kind: 'in_use', webhooks };

  await forgetReplaced(trx, order);
  await deleteAllAutomations(trx, to, at);
  await moveRows(trx, order);
  // Applies of both have numbers that deliveries refer to.
  const { name: _, applies, ...state } = renamed;
  await trx
    .updateTable('factories')
    .set({ ...state, applies: sql<number>`case when applies > ${applies} then applies else ${applies} end` })
    .where('name', '=', to)
    .execute();
  await trx.deleteFrom('factories').where('name', '=', from).execute();
  await renameLimits(trx, order);
  await replaceInScopes(trx, from, to);
  await copyAuditObjects(trx, order);
  await trx
    .insertInto('folder_changes')
    .values({ factory: from, moved_to: to })
    .onConflict((conflict) => conflict.column('factory').doUpdateSet({ moved_to: to }))
    .execute();
  return { kind: 'ok' };
}

async function hasDefinition(trx: Transaction<Schema>, factory: string): Promise<boolean> {
  const webhook = trx
    .selectFrom('webhooks')
    .select('name')
    .where('factory', '=', factory)
    .where('deleted_at', 'is', null);
  const automation = trx.selectFrom('automations').select('name').where('factory', '=', factory);
  return [await webhook.executeTakeFirst(), await automation.executeTakeFirst()].some((found) => found !== undefined);
}

/** The webhooks of the new name that a webhook of the old name replaces. */
function selectReplaced(trx: Transaction<Schema>, { from, to }: Pick<RenameOrder, 'from' | 'to'>) {
  const named = trx
    .selectFrom('webhooks as renamed')
    .select('renamed.name')
    .where('renamed.factory', '=', from)
    .where('renamed.forgotten_at', 'is', null);
  return trx
    .selectFrom('webhooks')
    .where('webhooks.factory', '=', to)
    .where('webhooks.forgotten_at', 'is', null)
    .where('webhooks.name', 'in', named);
}

/** Of the webhooks that would be replaced, the existing ones that received something. */
async function listReceiving(trx: Transaction<Schema>, order: RenameOrder): Promise<string[]> {
  const rows = await selectReplaced(trx, order)
    .select('webhooks.name')
    .where('webhooks.deleted_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('delivery_listing')
          .select('delivery_listing.seq')
          .whereRef('delivery_listing.webhook', '=', 'webhooks.ref'),
      ),
    )
    .orderBy('webhooks.name')
    .execute();
  return rows.map(({ name }) => name);
}

async function forgetReplaced(trx: Transaction<Schema>, order: RenameOrder): Promise<void> {
  const { at } = order;
  const replaced = await selectReplaced(trx, order).select('webhooks.ref').execute();
  const refs = replaced.map(({ ref }) => ref);
  if (refs.length === 0) return;
  const forgotten = { forgotten_at: at, updated_at: at, deleted_at: sql<number>`coalesce(deleted_at, ${at})` };
  await trx.updateTable('webhooks').set(forgotten).where('ref', 'in', refs).execute();
}

async function moveRows(trx: Transaction<Schema>, { from, to }: RenameOrder): Promise<void> {
  // The same version of an automation may exist twice. Runs refer to it by its number.
  await trx
    .updateTable('automation_versions')
    .set({ digest: sql`digest || '/' || version` })
    .where('factory', '=', to)
    .execute();
  await trx.updateTable('automation_versions').set({ factory: to }).where('factory', '=', from).execute();
  // The next evaluation opens the alerts of the new name again, if they still apply.
  await trx.deleteFrom('alerts').where('factory', '=', to).where('state', '<>', 'resolved').execute();
  for (const table of PLAIN_TABLES)
    await trx.updateTable(table).set({ factory: to }).where('factory', '=', from).execute();
  await moveLiveFiles(trx, from, to);
  await trx.updateTable('agent_file_sets').set({ factory: to }).where('factory', '=', from).execute();
  await moveUnlessPresent(trx, 'agent_file_revisions', ['revision'], { from, to });
  await moveUnlessPresent(trx, 'agent_file_contents', ['digest'], { from, to });
  await moveUnlessPresent(trx, 'commits', ['revision'], { from, to });
  await moveUnlessPresent(trx, 'notices', ['target', 'revision'], { from, to });
  await moveUnlessPresent(trx, 'pauses', ['automation'], { from, to });
  await moveUnlessPresent(trx, 'loop_guards', ['automation', 'subject'], { from, to });
  await moveUnlessPresent(trx, 'schedules', ['automation', 'name'], { from, to });
  await moveUnlessPresent(trx, 'budget_waits', ['automation'], { from, to });
  await moveUnlessPresent(trx, 'budget_starts', ['automation', 'started_at', 'run'], { from, to });
}

async function moveLiveFiles(trx: Transaction<Schema>, from: string, to: string): Promise<void> {
  const hosted = await trx
    .selectFrom('live_revisions')
    .select('revision')
    .where('factory', '=', from)
    .executeTakeFirst();
  if (hosted === undefined) return;
  for (const table of ['live_files', 'live_revisions'] as const) {
    await trx.deleteFrom(table).where('factory', '=', to).execute();
    await trx.updateTable(table).set({ factory: to }).where('factory', '=', from).execute();
  }
}

/** Moves rows that are unique by factory and `columns`. Those that the new name has stay. */
async function moveUnlessPresent(
  trx: Transaction<Schema>,
  table:
    | 'agent_file_contents'
    | 'agent_file_revisions'
    | 'budget_starts'
    | 'budget_waits'
    | 'commits'
    | 'loop_guards'
    | 'notices'
    | 'pauses'
    | 'schedules',
  columns: readonly string[],
  { from, to }: Pick<RenameOrder, 'from' | 'to'>,
): Promise<void> {
  const equal = columns.map((column) => sql`present.${sql.ref(column)} = ${sql.ref(`${table}.${column}`)}`);
  await sql`
    DELETE FROM ${sql.table(table)} WHERE factory = ${from} AND EXISTS (
      SELECT 1 FROM ${sql.table(table)} AS present WHERE present.factory = ${to} AND ${sql.join(equal, sql` AND `)}
    )
  `.execute(trx);
  await trx.updateTable(table).set({ factory: to }).where('factory', '=', from).execute();
}

/** Tokens and users that are limited to the old name are limited to the new one. */
async function renameLimits(trx: Transaction<Schema>, { from, to }: RenameOrder): Promise<void> {
  for (const table of ['tokens', 'users'] as const) {
    const limited = await trx
      .selectFrom(table)
      .select(['id', 'factories'])
      .where('factories', 'is not', null)
      .execute();
    for (const { id, factories } of limited) {
      const names = JSON.parse(factories!) as string[];
      if (!names.includes(from)) continue;
      const renamed = [...new Set(names.map((name) => (name === from ? to : name)))];
      await trx
        .updateTable(table)
        .set({ factories: JSON.stringify(renamed) })
        .where('id', '=', id)
        .execute();
    }
  }
}

/** Entries about the old name are also found by the new one. The entries themselves never change. */
async function copyAuditObjects(trx: Transaction<Schema>, { from, to }: RenameOrder): Promise<void> {
  const [old, renamed] = [from, to].map((name) => `factories/${encodeURIComponent(name)}`) as [string, string];
  await sql`
    INSERT INTO audit_objects (object, entry)
      SELECT ${renamed} || substr(object, ${old.length + 1}), entry FROM audit_objects
      WHERE object = ${old} OR (object > ${`${old}/`} AND object < ${`${old}0`})
      ON CONFLICT DO NOTHING
  `.execute(trx);
}
