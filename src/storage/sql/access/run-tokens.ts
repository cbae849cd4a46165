import type { Kysely } from 'kysely';
import type { RunId } from '../../../domain/ids.ts';
import { MAX_RUN_TOKENS, type RunTokenTable } from '../../../domain/ports/access/run-token-table.ts';
import type { Schema } from '../schema/schema.ts';

/** Tokens of receivers, found by the hash of their text. */
export function createRunTokenTable(db: Kysely<Schema>): RunTokenTable {
  return {
    insert: ({ run: id, attempt, hash }) =>
      db.transaction().execute(async (trx) => {
        const found = await trx.selectFrom('runs').select('seq').where('id', '=', id).executeTakeFirst();
        if (found === undefined) return;
        const run = found.seq;
        await trx.insertInto('run_tokens').values({ run, attempt, hash }).execute();
        const recent = trx.selectFrom('run_tokens').select('seq').where('run', '=', run).where('attempt', '=', attempt);
        await trx
          .deleteFrom('run_tokens')
          .where('run', '=', run)
          .where('attempt', '=', attempt)
          .where('seq', 'not in', recent.orderBy('seq', 'desc').limit(MAX_RUN_TOKENS))
          .execute();
      }),
    findByHash: async (hash) => {
      const row = await db
        .selectFrom('run_tokens')
        .innerJoin('runs', 'runs.seq', 'run_tokens.run')
        .select(['runs.id', 'runs.factory', 'run_tokens.attempt'])
        .where('run_tokens.hash', '=', hash)
        .executeTakeFirst();
      return row === undefined ? null : { run: row.id as RunId, factory: row.factory, attempt: row.attempt };
    },
  };
}
