import type { Kysely, Transaction } from 'kysely';
import type { FileChange, LiveDefinitions } from '../../../domain/ports/sources.ts';
import type { Schema } from '../schema/schema.ts';
import { LIVE_FILES } from '../schema/tables.ts';

/** Definitions of factories without a repository. */
export function createLiveDefinitions(db: Kysely<Schema>): LiveDefinitions {
  return {
    head: (factory) => findHead(db, factory),
    read: async (factory) => {
      const revision = await findHead(db, factory);
      if (revision === null) return null;
      const query = db.selectFrom('live_files').select(['path', 'text', 'uid']).where('factory', '=', factory);
      const rows = await query.orderBy('path').execute();
      return { revision, files: rows.map(LIVE_FILES.fromRow) };
    },
    commit: (factory, edit) => db.transaction().execute((trx) => commit(trx, factory, edit)),
  };
}

async function findHead(db: Kysely<Schema>, factory: string): Promise<number | null> {
  const row = await db
    .selectFrom('live_revisions')
    .select('revision')
    .where('factory', '=', factory)
    .executeTakeFirst();
  return row?.revision ?? null;
}

async function commit(
  trx: Transaction<Schema>,
  factory: string,
  { from, files }: { from: number | null; files: readonly FileChange[] },
): Promise<number | null> {
  if ((await findHead(trx, factory)) !== from) return null;
  const revision = (from ?? 0) + 1;
  await trx
    .insertInto('live_revisions')
    .values({ factory, revision })
    .onConflict((conflict) => conflict.column('factory').doUpdateSet({ revision }))
    .execute();
  for (const file of files) await writeFile(trx, factory, file);
  return revision;
}

/** An existing row keeps its UID unless the change sets one. */
async function writeFile(trx: Transaction<Schema>, factory: string, { path, text, uid }: FileChange): Promise<void> {
  if (text === null) {
    await trx.deleteFrom('live_files').where('factory', '=', factory).where('path', '=', path).execute();
    return;
  }
  await trx
    .insertInto('live_files')
    .values({ factory, path, text, uid: uid ?? null })
    .onConflict((conflict) => conflict.columns(['factory', 'path']).doUpdateSet(uid ? { text, uid } : { text }))
    .execute();
}
