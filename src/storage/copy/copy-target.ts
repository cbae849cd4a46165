import type { Pool, PoolClient } from 'pg';
import { AppError } from '../../domain/errors.ts';
import { migrate } from '../postgres/migrate.ts';
import { createPool, requirePromises } from '../postgres/open-database.ts';
import { inTransaction, withConnection } from '../postgres/transactions.ts';
import { COPY_MARKER } from '../postgres/unfinished-copy.ts';
import { TABLE_NAMES, type TableName } from '../sql/schema/table-keys.ts';
import { decodeKey, type Row } from './copied-table.ts';

/** How far the copy of a table is. */
export interface TableProgress {
  rows: number;
  /** The primary key of the last row. */
  last: Row;
}

/** A database of PostgreSQL that contains a copy which is not finished, and nothing else. */
export interface CopyTarget {
  pool: Pool;
  /** The tables whose copy has begun. */
  progress: ReadonlyMap<TableName, TableProgress>;
}

/** One row says which source the copy has. The other table has a row for each table whose copy has begun. */
const CREATE_PROGRESS = `
  CREATE TABLE ${COPY_MARKER} (source text NOT NULL);
  CREATE TABLE dockbell_copied_tables (name text PRIMARY KEY, copied bigint NOT NULL, last_key text NOT NULL)`;

/**
 * Prepares an empty database for the copy of a source, or finds the progress of an earlier attempt. Until `finishCopy`, no
 * daemon can start with the database.
 *
 * Throws `conflict` if the database contains the data of a daemon, or a copy of another source, and the errors of `openPostgres`.
 *
 * @param restart discards an earlier attempt
 */
export async function openCopyTarget(url: string, identity: string, restart: boolean): Promise<CopyTarget> {
  const pool = createPool({ url, pool: 2 }, 'dockbell copy');
  try {
    await requirePromises(pool);
    await withConnection(pool, (client) =>
      inTransaction(client, 'READ COMMITTED', async () => {
        if (!(await hasTable(client, COPY_MARKER))) await beginCopy(client, identity);
        else if (restart) await discardCopy(client, identity);
        else await requireSameSource(client, identity);
      }),
    );
    await migrate(pool);
    return { pool, progress: await readProgress(pool) };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function hasTable(client: PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: number }>('SELECT to_regclass($1) IS NOT NULL AS exists', [name]);
  return rows[0]?.exists === 1;
}

async function beginCopy(client: PoolClient, identity: string): Promise<void> {
  for (const name of await listTables(client)) await requireEmpty(client, name);
  await client.query(CREATE_PROGRESS);
  await client.query(`INSERT INTO ${COPY_MARKER} (source) VALUES ($1)`, [identity]);
}

async function listTables(client: PoolClient): Promise<TableName[]> {
  const names: TableName[] = [];
  for (const name of TABLE_NAMES) if (await hasTable(client, name)) names.push(name);
  return names;
}

/** The row of `delivery_listing_end` is part of the schema. */
async function requireEmpty(client: PoolClient, name: TableName): Promise<void> {
  if (name === 'delivery_listing_end') return;
  const { rows } = await client.query(`SELECT 1 FROM ${name} LIMIT 1`);
  if (rows.length === 0) return;
  throw new AppError(
    'conflict',
    `the target is not empty: the table ${name} has rows, so a daemon has used this database. Create an empty database and copy to it`,
  );
}

async function requireSameSource(client: PoolClient, identity: string): Promise<void> {
  const { rows } = await client.query<{ source: string }>(`SELECT source FROM ${COPY_MARKER}`);
  if (rows[0]?.source === identity) return;
  throw new AppError(
    'conflict',
    'the target has an unfinished copy of another source, or the source has changed since. Add --restart to discard that copy and begin again',
  );
}

async function discardCopy(client: PoolClient, identity: string): Promise<void> {
  const tables = await listTables(client);
  if (tables.length > 0) await client.query(`TRUNCATE ${tables.join(', ')}`);
  await client.query(`DROP TABLE ${COPY_MARKER}, dockbell_copied_tables`);
  await beginCopy(client, identity);
}

async function readProgress(pool: Pool): Promise<Map<TableName, TableProgress>> {
  const { rows } = await pool.query<{ name: TableName; copied: number; last_key: string }>(
    'SELECT name, copied, last_key FROM dockbell_copied_tables',
  );
  return new Map(rows.map(({ name, copied, last_key }) => [name, { rows: copied, last: decodeKey(last_key) }]));
}

/** The copy is verified: a daemon can start with the database. */
export async function finishCopy({ pool }: CopyTarget): Promise<void> {
  await pool.query(`DROP TABLE ${COPY_MARKER}, dockbell_copied_tables`);
}
