import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError } from '../../domain/errors.ts';
import type { StoredType } from '../sql/schema/columns.ts';
import { TABLE_KEYS, TABLE_NAMES, type TableName } from '../sql/schema/table-keys.ts';
import { IDENTITIES } from '../sql/schema/tables.ts';
import { defineFunctions } from '../sqlite/define-functions.ts';
import { SCHEMA_VERSION } from '../sqlite/disk/inspect-copy.ts';
import { readWriter } from '../sqlite/disk/schema-writer.ts';
import { LOGGED_CLAIMS } from '../sqlite/identities/identity-claims.ts';
import type { CopiedTable, Row } from './copied-table.ts';

/** The SQLite file of a stopped daemon, which nobody writes to. */
export interface CopySource {
  /** Differs for another file, and after each change of this one. */
  identity: string;
  tables: readonly CopiedTable[];
  /** Number of rows that `rows` returns without `after`. */
  count(table: CopiedTable): number;
  /** The rows after a key, in the order of the primary key. At most one iteration at a time. */
  rows(table: CopiedTable, after: Row | null): Iterable<Row>;
  /** The highest number that a table has used, if it uses none twice; otherwise 0. */
  usedNumber(table: TableName): number;
  close(): void;
}

/**
 * Opens the file for reading. Throws `conflict` if the schema is older than this program, and `storage_newer` if it is newer.
 * The caller has locked the data directory.
 */
export function openCopySource(file: string): CopySource {
  const identity = identify(file);
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    requireSchema(db, file);
    defineFunctions(db);
    const parts = listParts(db);
    return {
      identity,
      tables: TABLE_NAMES.map((name) => describeTable(db, name)),
      count: ({ name }) => parts(name).reduce((sum, part) => sum + countPart(db, part), 0),
      rows: function* (table, after) {
        for (const part of parts(table.name)) yield* readPart(db, table, part, after);
      },
      usedNumber: (table) => findUsedNumber(db, table),
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Each write changes the size or the time of the file or of its write-ahead log. Reading creates an empty log. */
function identify(file: string): string {
  const facts = [file, `${file}-wal`].map((path) => {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true });
    return found === undefined || found.size === 0n ? '-' : `${found.size} ${found.mtimeNs}`;
  });
  return createHash('sha256').update(facts.join('\n')).digest('hex');
}

function requireSchema(db: Database.Database, file: string): void {
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version === SCHEMA_VERSION) return;
  if (version < SCHEMA_VERSION) {
    throw new AppError(
      'conflict',
      `${file} has schema version ${version}, and this Dockbell copies version ${SCHEMA_VERSION}: start this version ` +
        'once with storage.type: sqlite, which migrates the file, and stop it again',
    );
  }
  throw new AppError(
    'storage_newer',
    `${file} has schema version ${version}, but this Dockbell supports versions up to ${SCHEMA_VERSION}: install ` +
      `Dockbell ${readWriter(db) ?? 'of the version that wrote it'} or newer`,
  );
}

const TYPES: Readonly<Record<string, StoredType>> = { INTEGER: 'integer', TEXT: 'text', BLOB: 'bytes' };

function describeTable(db: Database.Database, name: TableName): CopiedTable {
  const columns = db.pragma(`table_info(${name})`) as { name: string; type: string }[];
  const names = columns.map((column) => column.name);
  return {
    name,
    columns: names,
    types: columns.map(({ type }) => TYPES[type]!),
    key: TABLE_KEYS[name].map((column) => names.indexOf(column)),
  };
}

/** Rows of a table, from one query. */
interface Part {
  /** The values of the columns. */
  values: string;
  from: string;
  /** What `after` is compared with. */
  key: string;
  order: string;
}

function listParts(db: Database.Database): (table: TableName) => Part[] {
  const offset = findNewest(db, 'identities');
  const claims = [composeLoggedClaims(offset), composeBodyClaims(offset + findNewest(db, 'deliveries'))];
  return (table) => {
    const { columns } = describeTable(db, table);
    const key = TABLE_KEYS[table].join(', ');
    const whole = { values: columns.join(', '), from: table, key, order: key };
    return table === 'identities' ? [whole, ...claims] : [whole];
  };
}

function findNewest(db: Database.Database, table: 'identities' | 'deliveries'): number {
  return db.prepare<[], number>(`SELECT coalesce(max(seq), 0) FROM ${table}`).pluck().get()!;
}

/**
 * In SQLite, the row of an accepted delivery is its claim, and `identities` has the claims of those that have left the log. In
 * PostgreSQL, `identities` has all claims. Their numbers follow those of the departed ones, which are older.
 */
function composeLoggedClaims(offset: number): Part {
  return composeClaims(offset, 'identity_source, coalesce(identity_key, identity)', LOGGED_CLAIMS);
}

/** The second keys of the deliveries in the log. Their numbers follow those of the first keys. */
function composeBodyClaims(offset: number): Part {
  return composeClaims(
    offset,
    `${IDENTITIES.encode('source', 'body_hash')}, body_key`,
    `${LOGGED_CLAIMS} AND body_key IS NOT NULL`,
  );
}

function composeClaims(offset: number, identity: string, condition: string): Part {
  const seq = `${offset} + deliveries.seq`;
  return {
    values: `${seq}, webhook, ${identity}, id, sha256(body), received_at`,
    from: `(SELECT * FROM deliveries WHERE ${condition}) AS deliveries JOIN delivery_contents ON delivery = deliveries.seq`,
    key: seq,
    order: 'deliveries.seq',
  };
}

function countPart(db: Database.Database, { from }: Part): number {
  return db.prepare(`SELECT count(*) FROM ${from}`).pluck().get() as number;
}

function readPart(db: Database.Database, table: CopiedTable, part: Part, after: Row | null): Iterable<Row> {
  const { values, from, key, order } = part;
  const places = table.key.map(() => '?').join(', ');
  const condition = after === null ? '' : ` WHERE (${key}) > (${places})`;
  const statement = db.prepare<unknown[], Row>(`SELECT ${values} FROM ${from}${condition} ORDER BY ${order}`).raw();
  return statement.iterate(...(after ?? []));
}

/** SQLite notes it for tables with AUTOINCREMENT. */
function findUsedNumber(db: Database.Database, table: TableName): number {
  return db.prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(table) ?? 0;
}
