import type { Kysely, Transaction } from 'kysely';
import type { FactoryNames, ForgetOutcome } from '../../../domain/ports/definitions.ts';
import { replaceInScopes } from '../operation/secret-scopes.ts';
import { NOW } from '../runs/start.ts';
import type { Schema } from '../schema/schema.ts';
import { deleteAllAutomations } from './delete-automations.ts';
import { renameFactory } from './rename-factory.ts';

/** Ends and renames factories. */
export function createFactoryNames(db: Kysely<Schema>): FactoryNames {
  return {
    forget: (factory, at) => db.transaction().execute((trx) => forgetFactory(trx, factory, at)),
    rename: (order) => db.transaction().execute((trx) => renameFactory(trx, order)),
    folderChanges: async () => {
      const rows = await db.selectFrom('folder_changes').selectAll().orderBy('factory').execute();
      return rows.map(({ factory, moved_to }) => ({ factory, movedTo: moved_to }));
    },
    noteFolderChange: async (factory) => {
      await db.deleteFrom('folder_changes').where('factory', '=', factory).execute();
    },
  };
}

async function forgetFactory(trx: Transaction<Schema>, factory: string, at: number): Promise<ForgetOutcome> {
  const found = await trx
    .selectFrom('factories')
    .select('name')
    .where('name', '=', factory)
    .where('forgotten_at', 'is', null)
    .executeTakeFirst();
  if (found === undefined) return { kind: 'unknown' };
  const count = await countRunning(trx, factory);
  if (count > 0) return { kind: 'running', count };

  await deleteAllAutomations(trx, factory, at);
  const forgotten = { forgotten_at: at, deleted_at: at, updated_at: at };
  await trx
    .updateTable('webhooks')
    .set(forgotten)
    .where('factory', '=', factory)
    .where('deleted_at', 'is', null)
    .execute();
  await trx
    .updateTable('webhooks')
    .set({ forgotten_at: at })
    .where('factory', '=', factory)
    .where('forgotten_at', 'is', null)
    .execute();
  await trx.deleteFrom('live_files').where('factory', '=', factory).execute();
  await trx.deleteFrom('live_revisions').where('factory', '=', factory).execute();
  await trx.deleteFrom('notices').where('factory', '=', factory).execute();
  // Another factory can get the name later, and must not get the secrets with it.
  await replaceInScopes(trx, factory, null);
  const cancelledRuns = await cancelQueued(trx, factory, at);
  // The number of applies stays: the history of listeners refers to it.
  await trx
    .updateTable('factories')
    .set({ ...NEVER_APPLIED, forgotten_at: at })
    .where('name', '=', factory)
    .execute();
  await trx
    .insertInto('folder_changes')
    .values({ factory, moved_to: null })
    .onConflict((conflict) => conflict.column('factory').doUpdateSet({ moved_to: null }))
    .execute();
  return { kind: 'ok', cancelledRuns };
}

const NEVER_APPLIED = {
  applied_revision: null,
  applied_at: null,
  applied_source: null,
  attempted_revision: null,
  attempted_at: null,
  conditions: '[]',
};

async function countRunning(trx: Transaction<Schema>, factory: string): Promise<number> {
  const { count } = await trx
    .selectFrom('runs')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('state', '=', 'running')
    .where('factory', '=', factory)
    .executeTakeFirstOrThrow();
  return count;
}

async function cancelQueued(trx: Transaction<Schema>, factory: string, at: number): Promise<number> {
  const end = { state: 'cancelled', error: 'cancelled', finished_at: at };
  const queued = trx.selectFrom('runs').select('seq').where('state', '=', 'queued').where('factory', '=', factory);
  await trx.updateTable('run_attempts').set(end).where('run', 'in', queued).where('state', '=', 'queued').execute();
  for (const table of ['pauses', 'budget_starts', 'budget_waits', 'loop_guards', 'schedules'] as const)
    await trx.deleteFrom(table).where('factory', '=', factory).execute();
  const cancelled = await trx
    .updateTable('runs')
    .set({ ...end, ...NOW })
    .where('state', '=', 'queued')
    .where('factory', '=', factory)
    .executeTakeFirst();
  return Number(cancelled.numUpdatedRows);
}
