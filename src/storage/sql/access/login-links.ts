import type { Kysely } from 'kysely';
import type { LoginLink } from '../../../core/access.ts';
import type { LoginLinkId } from '../../../core/ids.ts';
import type { LoginLinkTable } from '../../../core/ports/access/login-link-table.ts';
import type { Schema } from '../schema.ts';

/** One-time login links by the hash of their token. */
export function createLoginLinkTable(db: Kysely<Schema>): LoginLinkTable {
  return {
    insert: ({ id, origin, createdAt, expiresAt }, hash) =>
      db.transaction().execute(async (trx) => {
        if (origin === 'start') await trx.deleteFrom('login_links').where('origin', '=', 'start').execute();
        const row = { id, hash, origin, created_at: createdAt, expires_at: expiresAt };
        await trx.insertInto('login_links').values(row).execute();
      }),
    take: async (hash, nowMs) => {
      const row = await db.deleteFrom('login_links').where('hash', '=', hash).returningAll().executeTakeFirst();
      if (row === undefined || row.expires_at <= nowMs) return null;
      return {
        id: row.id as LoginLinkId,
        origin: row.origin as LoginLink['origin'],
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      };
    },
  };
}
