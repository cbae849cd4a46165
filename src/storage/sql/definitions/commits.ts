import { type Kysely, sql } from 'kysely';
import type { Commit, Reconciliation } from '../../../domain/applies/reconciliation.ts';
import type { Schema } from '../schema/schema.ts';
import { COMMITS, RECONCILIATIONS } from '../schema/tables.ts';

/** The columns of a commit in a row that joins one, or not. */
interface JoinedCommit {
  subject: string | null;
  author: string | null;
  committed_at: number | null;
  url: string | null;
}

/** `null` if the row joins no commit. */
export function toCommit({ subject, author, committed_at, url }: JoinedCommit): Commit | null {
  if (subject === null || author === null || committed_at === null) return null;
  return COMMITS.fromRow({ subject, author, committed_at, url });
}

/** The columns of a joined commit, for `toCommit`. */
export const COMMIT_COLUMNS = ['commits.subject', 'commits.author', 'commits.committed_at', 'commits.url'] as const;

/** Joins the commit of a revision: the condition for columns with the factory and the revision. */
export function isCommitOf(factory: string, revision: string) {
  return sql<boolean>`commits.factory = ${sql.ref(factory)} and commits.revision = ${sql.ref(revision)}`;
}

/** Stores who made the revision of a reconciliation, once. */
export async function insertCommit(
  db: Kysely<Schema>,
  { factory, revision, commit }: Pick<Reconciliation, 'factory' | 'revision' | 'commit'>,
): Promise<void> {
  if (commit === null || revision === null) return;
  await db
    .insertInto('commits')
    .values({ factory, revision, ...COMMITS.toRow(commit) })
    .onConflict((known) => known.doNothing())
    .execute();
}

/** Reconciliations with the commits of their revisions. */
export function selectReconciliations(db: Kysely<Schema>) {
  return db
    .selectFrom('reconciliations')
    .leftJoin('commits', (join) => join.on(isCommitOf('reconciliations.factory', 'reconciliations.revision')))
    .selectAll('reconciliations')
    .select(COMMIT_COLUMNS);
}

type ReconciliationRow = Awaited<ReturnType<ReturnType<typeof selectReconciliations>['executeTakeFirstOrThrow']>>;

export function toReconciliation(row: ReconciliationRow): Reconciliation {
  return { ...RECONCILIATIONS.fromRow(row), commit: toCommit(row) };
}
