import type { Kysely } from 'kysely';
import type { TokenTable } from '../../../domain/ports/access/token-table.ts';
import type { Schema } from '../schema/schema.ts';
import { TOKENS } from '../schema/tables.ts';

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
