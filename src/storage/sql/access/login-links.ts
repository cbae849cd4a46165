import type { Kysely } from 'kysely';
import type { LoginLinkTable } from '../../../domain/ports/access/login-link-table.ts';
import type { Schema } from '../schema/schema.ts';
import { LOGIN_LINKS } from '../schema/tables.ts';

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
