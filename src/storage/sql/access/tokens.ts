import type { Kysely } from 'kysely';
import type { RunId } from '../../../domain/ids.ts';
import {
  type LoginLinkTable,
  MAX_RUN_TOKENS,
  type RunTokenTable,
  type TokenTable,
} from '../../../domain/ports/access.ts';
import type { Schema } from '../schema/schema.ts';
import { LOGIN_LINKS, TOKENS } from '../schema/tables.ts';

/** API tokens, found by the hash of their text. */
export function createTokenTable(db: Kysely<Schema>): TokenTable {
  return {
    insert: async (token, hash) => {
      await db
        .insertInto('tokens')
        .values({ ...TOKENS.toRow(token), hash })
        .execute();
    },
    findByHash: async (hash) => {
      const row = await db.selectFrom('tokens').selectAll().where('hash', '=', hash).executeTakeFirst();
      return row ? TOKENS.fromRow(row) : null;
    },
    touch: async (id, at) => {
      await db.updateTable('tokens').set({ last_used_at: at }).where('id', '=', id).execute();
    },
    list: async () => {
      const rows = await db.selectFrom('tokens').selectAll().orderBy('id').execute();
      return rows.map(TOKENS.fromRow);
    },
    revoke: async (id) => {
      const deleted = await db.deleteFrom('tokens').where('id', '=', id).executeTakeFirst();
      return deleted.numDeletedRows === 1n;
    },
  };
}

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

/** One-time login links, found by the hash of their token. */
export function createLoginLinkTable(db: Kysely<Schema>): LoginLinkTable {
  return {
    insert: (link, hash) =>
      db.transaction().execute(async (trx) => {
        if (link.origin === 'start') await trx.deleteFrom('login_links').where('origin', '=', 'start').execute();
        await trx
          .insertInto('login_links')
          .values({ ...LOGIN_LINKS.toRow(link), hash })
          .execute();
      }),
    take: async (hash, nowMs) => {
      const row = await db.deleteFrom('login_links').where('hash', '=', hash).returningAll().executeTakeFirst();
      return row === undefined || row.expires_at <= nowMs ? null : LOGIN_LINKS.fromRow(row);
    },
  };
}
