import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql, type Transaction } from 'kysely';
import type { AuditActor, AuditEntry, AuditedChange, AuditOutcome } from '../../../core/audit.ts';
import type { AuditLog, AuditRequest } from '../../../core/ports/access/audit-log.ts';
import { cutPage, parseCursor } from '../cursor.ts';
import { cutRows } from '../cut-rows.ts';
import { findFirstSince } from '../find-first-since.ts';
import type { Schema } from '../schema/schema.ts';
import { AUDIT_ENTRIES } from '../schema/tables.ts';

/** The audit log. */
export function createAuditLog(db: Kysely<Schema>): AuditLog {
  return {
    append: (entry, objects = []) => db.transaction().execute((trx) => insertAudited(trx, { entry, objects })),
    list: async (request) => {
      const found = await selectEntries(db, request, await findBounds(db, request));
      const { rows, nextCursor } = cutPage(found, request.limit);
      return { data: rows.map(toEntry), nextCursor };
    },
  };
}

/** Writes an entry, in the transaction of its change. */
export async function insertAudited(trx: Transaction<Schema>, { entry, objects }: AuditedChange): Promise<void> {
  const { seq } = await trx.insertInto('audit_log').values(toRow(entry)).returning('seq').executeTakeFirstOrThrow();
  const all = new Set([entry.object, ...objects].flatMap(listWithParents));
  const rows = Array.from(all, (object) => ({ object, entry: seq }));
  for (const some of cutRows(rows)) await trx.insertInto('audit_objects').values(some).execute();
}

/** A range of row numbers: the first is included, the second is not. */
type Bounds = [from: number, until: number];

async function findBounds(db: Kysely<Schema>, { cursor, fromAt, untilAt }: AuditRequest): Promise<Bounds> {
  const before = parseCursor(cursor) ?? Number.MAX_SAFE_INTEGER;
  const from = fromAt === undefined ? 0 : await findFirstSince(db, 'audit_log', fromAt);
  const until = untilAt === undefined ? before : await findFirstSince(db, 'audit_log', untilAt);
  return [from, Math.min(before, until)];
}

/**
 * Reads from the newest entry on: in the index of objects if the request names an object, otherwise in the log itself.
 */
function selectEntries(db: Kysely<Schema>, { object, actor, outcome, limit }: AuditRequest, [from, until]: Bounds) {
  const position = object === null ? sql.ref<number>('audit_log.seq') : sql.ref<number>('audit_objects.entry');
  return db
    .selectFrom('audit_log')
    .selectAll('audit_log')
    .$if(object !== null, (query) =>
      query
        .innerJoin('audit_objects', 'audit_objects.entry', 'audit_log.seq')
        .where('audit_objects.object', '=', object!),
    )
    .$if(actor !== null, (query) => query.where('actor', '=', actor))
    .$if(outcome !== null, (query) => query.where(OUTCOMES[outcome!]))
    .where(sql<boolean>`${position} >= ${from} and ${position} < ${until}`)
    .orderBy(position, 'desc')
    .limit(limit + 1)
    .execute();
}

// Literals instead of parameters: SQLite uses the partial index only if the text `status >= 400` appears in the query.
const OUTCOMES: Readonly<Record<AuditOutcome, RawBuilder<SqlBool>>> = {
  done: sql<SqlBool>`status < 400`,
  refused: sql<SqlBool>`status >= 400 and status < 500`,
  failed: sql<SqlBool>`status >= 400 and status >= 500`,
};

/** `a`, `a/b` and `a/b/c` of `a/b/c`. */
function listWithParents(object: string): string[] {
  const segments = object.split('/');
  return segments.map((_segment, index) => segments.slice(0, index + 1).join('/'));
}

function toRow({ actor, ...entry }: AuditEntry) {
  return AUDIT_ENTRIES.toRow({
    ...entry,
    actorKind: actor?.kind ?? null,
    actor: actor?.id ?? null,
    actorName: actor?.name ?? null,
  });
}

function toEntry(row: Selectable<Schema['audit_log']>): AuditEntry {
  const { actorKind, actor, actorName, ...entry } = AUDIT_ENTRIES.fromRow(row);
  const who = actor === null ? null : ({ kind: actorKind, id: actor, name: actorName } as AuditActor);
  return { ...entry, actor: who };
}
