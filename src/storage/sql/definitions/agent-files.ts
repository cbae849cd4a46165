import type { Kysely, Transaction } from 'kysely';
import { type AgentFileContent, type AgentFileSet, NO_AGENT_FILES } from '../../../domain/definitions/agent-files.ts';
import { AppError } from '../../../domain/errors.ts';
import type { RunId } from '../../../domain/ids.ts';
import type { AppliedChange } from '../../../domain/ports/inventory.ts';
import { cutRows } from '../cut-rows.ts';
import type { Schema } from '../schema/schema.ts';

type AgentFileChange = Pick<AppliedChange, 'factory' | 'revision' | 'agentFiles'>;

/** Stores the files that runs of the revision get. A set that is stored already is only referred to. */
export async function storeAgentFiles(trx: Transaction<Schema>, change: AgentFileChange): Promise<void> {
  const { factory, revision, agentFiles } = change;
  if (revision === null) return;
  await trx
    .deleteFrom('agent_file_revisions')
    .where('factory', '=', factory)
    .where('revision', '=', revision)
    .execute();
  if (agentFiles.set.files.length === 0) return;
  const fileSet = (await findSet(trx, factory, agentFiles.set.digest)) ?? (await insertSet(trx, change));
  await trx.insertInto('agent_file_revisions').values({ factory, revision, file_set: fileSet }).execute();
}

async function findSet(trx: Transaction<Schema>, factory: string, digest: string): Promise<number | null> {
  const found = await trx
    .selectFrom('agent_file_sets')
    .select('id')
    .where('factory', '=', factory)
    .where('digest', '=', digest)
    .limit(1)
    .executeTakeFirst();
  return found?.id ?? null;
}

async function insertSet(trx: Transaction<Schema>, { factory, agentFiles }: AgentFileChange): Promise<number> {
  const { set, contents } = agentFiles;
  for (const [digest, bytes] of contents) {
    await trx
      .insertInto('agent_file_contents')
      .values({ factory, digest, bytes })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  await requireContents(trx, factory, set);
  const { id } = await trx
    .insertInto('agent_file_sets')
    .values({ factory, digest: set.digest })
    .returning('id')
    .executeTakeFirstOrThrow();
  const rows = set.files.map((file) => ({ ...file, file_set: id }));
  for (const part of cutRows(rows)) await trx.insertInto('agent_files').values(part).execute();
  return id;
}

/** Contents are omitted if the applied revision has them, so a missing one is an internal error, never an empty file. */
async function requireContents(trx: Transaction<Schema>, factory: string, { files }: AgentFileSet): Promise<void> {
  const digests = [...new Set(files.map(({ digest }) => digest))];
  for (const part of cutRows(digests)) {
    const { count } = await trx
      .selectFrom('agent_file_contents')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('factory', '=', factory)
      .where('digest', 'in', part)
      .executeTakeFirstOrThrow();
    if (count !== part.length) throw new AppError('internal', 'the contents of agent files are missing');
  }
}

/** The files of a revision, in the order of their paths. */
export async function findAgentFiles(
  db: Kysely<Schema>,
  factory: string,
  revision: string | null,
): Promise<AgentFileSet> {
  if (revision === null) return NO_AGENT_FILES;
  const found = await db
    .selectFrom('agent_file_revisions')
    .innerJoin('agent_file_sets', 'agent_file_sets.id', 'agent_file_revisions.file_set')
    .select(['agent_file_sets.id', 'agent_file_sets.digest'])
    .where('agent_file_revisions.factory', '=', factory)
    .where('agent_file_revisions.revision', '=', revision)
    .executeTakeFirst();
  if (found === undefined) return NO_AGENT_FILES;
  const files = await db
    .selectFrom('agent_files')
    .select(['path', 'digest', 'size'])
    .where('file_set', '=', found.id)
    .orderBy('path')
    .execute();
  return { digest: found.digest, files };
}

/** The files of the revision that was live when the delivery of a run was accepted. */
export async function readAgentFiles(db: Kysely<Schema>, run: RunId): Promise<AgentFileContent[]> {
  return db
    .selectFrom('runs')
    .innerJoin('agent_file_revisions', (join) =>
      join
        .onRef('agent_file_revisions.factory', '=', 'runs.factory')
        .onRef('agent_file_revisions.revision', '=', 'runs.revision'),
    )
    .innerJoin('agent_files', 'agent_files.file_set', 'agent_file_revisions.file_set')
    .innerJoin('agent_file_contents', (join) =>
      join
        .onRef('agent_file_contents.digest', '=', 'agent_files.digest')
        .onRef('agent_file_contents.factory', '=', 'runs.factory'),
    )
    .select(['agent_files.path', 'agent_file_contents.bytes'])
    .where('runs.id', '=', run)
    .orderBy('agent_files.path')
    .execute();
}
