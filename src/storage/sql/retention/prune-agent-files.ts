import type { Kysely } from 'kysely';
import type { Schema } from '../schema/schema.ts';
import { keyOfRevision, type Piece } from './pass.ts';

/** Removes the agent files of revisions that are not live and that no run refers to. */
export async function pruneAgentFiles({ db, limit, pass }: Piece): Promise<{ rows: number }> {
  const retired = await db
    .selectFrom('agent_file_revisions as stored')
    .select(['stored.factory', 'stored.revision', 'stored.file_set'])
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('factories')
            .select('factories.name')
            .whereRef('factories.name', '=', 'stored.factory')
            .whereRef('factories.applied_revision', '=', 'stored.revision'),
        ),
      ),
    )
    .execute();
  const isDue = (row: { factory: string; revision: string }) =>
    pass.retiredRevisionsBefore.has(keyOfRevision(row.factory, row.revision));
  const due = retired.filter(isDue).slice(0, limit);
  for (const { factory, revision, file_set } of due) {
    await db
      .deleteFrom('agent_file_revisions')
      .where('factory', '=', factory)
      .where('revision', '=', revision)
      .execute();
    await deleteUnusedSet(db, factory, file_set);
  }
  for (const row of retired) pass.retiredRevisions.add(keyOfRevision(row.factory, row.revision));
  return { rows: due.length };
}

async function deleteUnusedSet(db: Kysely<Schema>, factory: string, fileSet: number): Promise<void> {
  const user = await db
    .selectFrom('agent_file_revisions')
    .select('revision')
    .where('file_set', '=', fileSet)
    .limit(1)
    .executeTakeFirst();
  if (user !== undefined) return;
  await db.transaction().execute(async (trx) => {
    const files = await trx.selectFrom('agent_files').select('digest').where('file_set', '=', fileSet).execute();
    await trx.deleteFrom('agent_files').where('file_set', '=', fileSet).execute();
    await trx.deleteFrom('agent_file_sets').where('id', '=', fileSet).execute();
    if (files.length === 0) return;
    const digests = [...new Set(files.map(({ digest }) => digest))];
    await trx
      .deleteFrom('agent_file_contents')
      .where('factory', '=', factory)
      .where('digest', 'in', digests)
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('agent_files')
              .innerJoin('agent_file_sets', 'agent_file_sets.id', 'agent_files.file_set')
              .select('agent_files.path')
              .whereRef('agent_files.digest', '=', 'agent_file_contents.digest')
              .whereRef('agent_file_sets.factory', '=', 'agent_file_contents.factory'),
          ),
        ),
      )
      .execute();
  });
}
