import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Identity } from '../../core/access.ts';
import type { AuditEntry } from '../../core/audit.ts';
import type { AuditId } from '../../core/ids.ts';
import type { AuditLog } from '../../core/ports/audit-log.ts';
import { cutPage, parseCursor } from './cursor.ts';
import type { Schema } from './schema.ts';

/** The log of changes. */
export function createAuditLog(db: Kysely<Schema>): AuditLog {
  return {
    append: (entry) =>
      db.transaction().execute(async (trx) => {
        const { seq } = await trx
          .insertInto('audit_log')
          .values(toRow(entry))
          .returning('seq')
          .executeTakeFirstOrThrow();
        const objects = listSurroundings(entry.object).map((object) => ({ object, entry: seq }));
        await trx.insertInto('audit_objects').values(objects).execute();
      }),
    list: async ({ actor, object, limit, cursor }) => {
      const before = parseCursor(cursor);
      let query = object === null ? selectAll(db) : selectAbout(db, object);
      if (before !== null) query = query.where('seq', '<', before);
      if (actor !== null) query = query.where('actor', '=', actor);
      const found = await query
        .orderBy('seq', 'desc')
        .limit(limit + 1)
        .execute();
      const { rows, nextCursor } = cutPage(found, limit);
      return { data: rows.map(toEntry), nextCursor };
    },
  };
}

function selectAll(db: Kysely<Schema>) {
  return db.selectFrom('audit_log').selectAll('audit_log');
}

function selectAbout(db: Kysely<Schema>, object: string) {
  const entries = db.selectFrom('audit_objects').select('entry').where('object', '=', object);
  return selectAll(db).where('seq', 'in', entries);
}

/** `a`, `a/b` and `a/b/c` of `a/b/c`. */
function listSurroundings(object: string): string[] {
  const segments = object.split('/');
  return segments.map((_segment, index) => segments.slice(0, index + 1).join('/'));
}

function toRow({ actor, changes, clientAddress, ...entry }: AuditEntry): Insertable<Schema['audit_log']> {
  return {
    ...entry,
    actor_kind: actor?.kind ?? null,
    actor: actor?.id ?? null,
    actor_name: actor?.name ?? null,
    changes: changes === null ? null : JSON.stringify(changes),
    client_address: clientAddress,
  };
}

function toEntry(row: Selectable<Schema['audit_log']>): AuditEntry {
  const { id, at, method, route, object, status } = row;
  return {
    ...{ id: id as AuditId, at, actor: toActor(row), method, route, object, status },
    changes: row.changes === null ? null : JSON.parse(row.changes),
    clientAddress: row.client_address,
  };
}

function toActor({ actor_kind, actor, actor_name }: Selectable<Schema['audit_log']>): AuditEntry['actor'] {
  if (actor === null) return null;
  return { kind: actor_kind as Identity['kind'], id: actor as Identity['id'], name: actor_name! };
}
