import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import {
  type AuditActor,
  type AuditEntry,
  type AuditedChange,
  type AuditInclude,
  type AuditOutcome,
  UNANSWERED,
} from '../../../domain/access/audit.ts';
import type { ChangeRecord } from '../../../domain/access/change-record.ts';
import type { AuditLog, AuditRequest } from '../../../domain/ports/access.ts';
import { cutPage, parseCursor } from '../cursor.ts';
import { cutRows } from '../cut-rows.ts';
import { findFirstSince } from '../find-first-since.ts';
import { reserveKey } from '../operation/kept-answers.ts';
import type { Schema } from '../schema/schema.ts';
import { AUDIT_ENTRIES } from '../schema/tables.ts';

/** The audit log. */
export function createAuditLog(db: Kysely<Schema>): AuditLog {
  return {
    begin: (record) => db.transaction().execute((trx) => storeRecord(trx, record)),
    append: (entry, objects = []) => db.transaction().execute((trx) => storeEntry(trx, { entry, objects })),
    list: async (request) => {
      const found = await selectEntries(db, request, await findBounds(db, request));
      const { rows, nextCursor } = cutPage(found, request.limit);
      return { data: rows.map(toEntry), nextCursor };
    },
  };
}

/** Stores who makes a change, and under which key, in the transaction of the change. Several changes of a request may store it. */
export async function storeRecord(trx: Kysely<Schema>, { audited, key }: ChangeRecord): Promise<void> {
  if (key !== null) await reserveKey(trx, key);
  await storeEntry(trx, audited);
}

/** Stores an entry in the transaction of its change, or completes it after the answer. One that is complete stays as it is. */
export async function storeEntry(trx: Kysely<Schema>, { entry, objects }: AuditedChange): Promise<void> {
  const row = toRow(entry);
  const stored = await trx
    .insertInto('audit_log')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row).where('audit_log.status', '=', UNANSWERED))
    .returning('seq')
    .executeTakeFirst();
  if (stored !== undefined) await linkObjects(trx, stored.seq, [entry.object, ...objects]);
}

async function linkObjects(trx: Kysely<Schema>, seq: number, objects: readonly string[]): Promise<void> {
  await trx.deleteFrom('audit_objects').where('entry', '=', seq).execute();
  const all = new Set(objects.flatMap(listWithParents));
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
function selectEntries(db: Kysely<Schema>, request: AuditRequest, [from, until]: Bounds) {
  const { object, actor, outcome, include = 'changes', limit } = request;
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
    .where(INCLUDES[include])
    .where(sql<boolean>`${position} >= ${from} and ${position} < ${until}`)
    .orderBy(position, 'desc')
    .limit(limit + 1)
    .execute();
}

// Literals for the same reason as those of `OUTCOMES`.
const INCLUDES: Readonly<Record<AuditInclude, RawBuilder<SqlBool>>> = {
  changes: sql<SqlBool>`method <> 'READ'`,
  reads: sql<SqlBool>`method = 'READ'`,
  all: sql<SqlBool>`1 = 1`,
};

// Literals instead of parameters: SQLite uses the partial indexes only if `status >= 400` and `status = 0` appear in the query.
const OUTCOMES: Readonly<Record<AuditOutcome, RawBuilder<SqlBool>>> = {
  unanswered: sql<SqlBool>`status = 0`,
  done: sql<SqlBool>`status > 0 and status < 400`,
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
