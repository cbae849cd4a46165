import type { Kysely, Selectable } from 'kysely';
import type { ApiToken } from '../../../core/access.ts';
import type { TokenId } from '../../../core/ids.ts';
import type { TokenTable } from '../../../core/ports/access/token-table.ts';
import type { Schema } from '../schema.ts';
import { readRights, writeFactories } from './rights.ts';

/** API tokens by the hash of their text. */
export function createTokenTable(db: Kysely<Schema>): TokenTable {
  return {
    insert: async ({ id, name, role, factories, createdAt, lastUsedAt }, hash) => {
      const row = {
        id,
        name,
        role,
        factories: writeFactories(factories),
        hash,
        created_at: createdAt,
        last_used_at: lastUsedAt,
      };
      await db.insertInto('tokens').values(row).execute();
    },
    findByHash: async (hash) => {
      const row = await db.selectFrom('tokens').selectAll().where('hash', '=', hash).executeTakeFirst();
      return row ? toApiToken(row) : null;
    },
    touch: async (id, at) => {
      await db.updateTable('tokens').set({ last_used_at: at }).where('id', '=', id).execute();
    },
    list: async () => {
      const rows = await db.selectFrom('tokens').selectAll().orderBy('id').execute();
      return rows.map(toApiToken);
    },
    revoke: async (id) => {
      const deleted = await db.deleteFrom('tokens').where('id', '=', id).executeTakeFirst();
      return deleted.numDeletedRows === 1n;
    },
  };
}

function toApiToken(row: Selectable<Schema['tokens']>): ApiToken {
  return {
    id: row.id as TokenId,
    ...readRights(row),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
