import { createHash, type Hash } from 'node:crypto';
import type { Pool } from 'pg';
import { escapeNul } from '../postgres/text-without-nul.ts';
import type { StoredType } from '../sql/schema/columns.ts';
import type { TableName } from '../sql/schema/table-keys.ts';
import { type CopiedTable, encodeKey, keyOf, type Row, type StoredValue } from './copied-table.ts';
import type { CopySource } from './copy-source.ts';
import { type OnRows, quote } from './copy-tables.ts';
import { batchRows } from './row-batches.ts';

/** A table in both databases. */
export interface VerifiedTable {
  name: TableName;
  source: TableDigest;
  target: TableDigest;
  /** The primary key of the first row that is missing or different in the target; `null` if none is. */
  firstDifference: string | null;
  /** Has the target the rows of the source, and no others? */
  isEqual: boolean;
}

/** Reads all rows from both databases and compares them. */
export async function verifyTables(source: CopySource, pool: Pool, onRows: OnRows): Promise<VerifiedTable[]> {
  const verified: VerifiedTable[] = [];
  for (const table of source.tables) verified.push(await verifyTable(source, pool, { table, onRows }));
  return verified;
}

/**
 * The order of the rows is that of the primary key in SQLite, which orders some texts differently. So the rows of the target
 * are found by the keys of the source. A row that only the target has is counted.
 */
async function verifyTable(
  source: CopySource,
  pool: Pool,
  { table, onRows }: { table: CopiedTable; onRows: OnRows },
): Promise<VerifiedTable> {
  const ofSource = new TableHash();
  const ofTarget = new TableHash();
  let rows = 0;
  let firstDifference: string | null = null;
  for (const batch of batchRows(source.rows(table, null))) {
    const copied = await readRows(pool, table, batch);
    ofSource.add(batch);
    ofTarget.add(copied);
    if (ofSource.digest() !== ofTarget.digest()) firstDifference ??= findDifference(table, batch, copied);
    rows += batch.length;
    onRows(batch.length);
  }
  const [digest, count] = [ofTarget.digest(), await countRows(pool, table)];
  return {
    name: table.name,
    source: { rows, digest: ofSource.digest() },
    target: { rows: count, digest },
    firstDifference,
    isEqual: firstDifference === null && count === rows,
  };
}

const TYPES: Readonly<Record<StoredType, string>> = { integer: 'bigint', text: 'text', bytes: 'bytea' };

/** The rows of the target with the keys of these rows, in the same order. Missing rows are omitted. */
async function readRows(pool: Pool, table: CopiedTable, batch: readonly Row[]): Promise<Row[]> {
  const keys = batch.map((row) => keyOf(table, row));
  const lists = table.key.map((column, index) => `$${index + 1}::${TYPES[table.types[column]!]}[]`);
  const names = table.key.map((_, index) => `key${index}`);
  const conditions = table.key.map(
    (column, index) => `${table.name}.${quote(table.columns[column]!)} = wanted.key${index}`,
  );
  const { rows } = await pool.query<StoredValue[]>({
    text: `SELECT ${table.columns.map((column) => `${table.name}.${quote(column)}`).join(', ')}
      FROM unnest(${lists.join(', ')}) WITH ORDINALITY AS wanted (${names.join(', ')}, place)
      JOIN ${table.name} ON ${conditions.join(' AND ')} ORDER BY place`,
    values: table.key.map((_, index) => keys.map((key) => escapeNul(key[index]))),
    rowMode: 'array',
  });
  return rows;
}

async function countRows(pool: Pool, { name }: CopiedTable): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`SELECT count(*) AS count FROM ${name}`);
  return rows[0]!.count;
}

function findDifference(table: CopiedTable, batch: readonly Row[], copied: readonly Row[]): string | null {
  const found = new Map(copied.map((row) => [encodeKey(keyOf(table, row)), digestRow(row)]));
  const different = batch.find((row) => found.get(encodeKey(keyOf(table, row))) !== digestRow(row));
  return different === undefined ? null : encodeKey(keyOf(table, different));
}

/** The content of a table: the number of its rows, and a digest of all values in the order of the primary key. */
interface TableDigest {
  rows: number;
  /** SHA-256, in hexadecimal. */
  digest: string;
}

/** Computes the digest of a table from its rows, one batch after another. */
class TableHash {
  readonly #hash: Hash = createHash('sha256');

  add(rows: readonly Row[]): void {
    for (const row of rows) for (const value of row) addValue(this.#hash, value);
  }

  /** Of the rows up to now. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}

/** The digest of one row, to find the row that differs. */
function digestRow(row: Row): string {
  const hash = new TableHash();
  hash.add([row]);
  return hash.digest();
}

/** Type and length before each value, so that different rows never have the same bytes. */
function addValue(hash: Hash, value: StoredValue): void {
  if (value === null) hash.update('n');
  else if (typeof value === 'number') hash.update(`i${value};`);
  else if (typeof value === 'string') hash.update(`t${Buffer.byteLength(value)};`).update(value);
  else hash.update(`b${value.length};`).update(value);
}
