import type { Kysely } from 'kysely';
import type { KeptAnswerTable } from '../../../core/ports/access/idempotency.ts';
import type { Schema } from '../schema.ts';

/** More answers than this are never kept (threat model D10). */
export const MAX_KEPT_ANSWERS = 10_000;

/** Answers to requests with an idempotency key, in SQLite. */
export function createKeptAnswers(db: Kysely<Schema>): KeptAnswerTable {
  return {
    find: async (key, since) => {
      const query = db.selectFrom('kept_answers').selectAll().where('key', '=', key).where('kept_at', '>=', since);
      const row = await query.executeTakeFirst();
      return row ? { key, sealed: row.sealed, keptAt: row.kept_at } : null;
    },
    keep: (answer, since) => db.transaction().execute((trx) => keep(trx, answer, since)),
  };
}

async function keep(db: Kysely<Schema>, answer: Parameters<KeptAnswerTable['keep']>[0], since: number): Promise<void> {
  const { key, sealed, keptAt } = answer;
  const row = { sealed, kept_at: keptAt };
  await db.deleteFrom('kept_answers').where('kept_at', '<', since).execute();
  await db
    .insertInto('kept_answers')
    .values({ key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
  const newest = db.selectFrom('kept_answers').select('key').orderBy('kept_at', 'desc').limit(MAX_KEPT_ANSWERS);
  await db.deleteFrom('kept_answers').where('key', 'not in', newest).execute();
}
