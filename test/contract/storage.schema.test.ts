import Database from 'better-sqlite3';
import { expect, inject, it } from 'vitest';
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { TABLE_KEYS } from '../../src/storage/sql/schema/table-keys.ts';
import { defineFunctions } from '../../src/storage/sqlite/define-functions.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { withClient } from '../helpers/start-postgres.ts';

/** Both databases have these columns, which the queries know as numbers, texts and bytes. */
const KINDS: Readonly<Record<string, string>> = {
  INTEGER: 'number',
  bigint: 'number',
  smallint: 'number',
  TEXT: 'text',
  text: 'text',
  BLOB: 'bytes',
  bytea: 'bytes',
};

interface Column {
  table: string;
  column: string;
  type: string;
  isRequired: number;
}

const describeAll = (columns: readonly Column[]) =>
  columns
    .map(({ table, column, type, isRequired }) => `${table}.${column} ${KINDS[type]}${isRequired ? '' : ' or null'}`)
    .sort();

/** The row number of SQLite is never null, although the declaration of its column allows it. */
const OF_SQLITE = `
  SELECT tables.name AS "table", columns.name AS "column", columns.type,
    max(columns."notnull", columns.pk > 0) AS isRequired
  FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
  WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`;

const OF_POSTGRES = `
  SELECT table_name AS "table", column_name AS "column", data_type AS type,
    (is_nullable = 'NO')::int AS "isRequired"
  FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'dockbell_schema'`;

it('has the same columns in both databases', async () => {
  const file = new Database(':memory:');
  defineFunctions(file);
  for (const step of MIGRATIONS) file.exec(step);
  const ofSqlite = file.prepare<[], Column>(OF_SQLITE).all();
  const server = inject('postgresUrl');
  const name = `schema_${process.pid}`;
  await withClient(`${server}/postgres`, (client) => client.query(`CREATE DATABASE ${name}`));
  await (await openPostgresStorage({ url: `${server}/${name}`, pool: 2 })).close();
  const { rows } = await withClient(`${server}/${name}`, (client) => client.query<Column>(OF_POSTGRES));
  // A view has no constraints. Only PostgreSQL has what several daemons share.
  const ofReplicas = ['leadership', 'replicas', 'live_versions', 'live_changes', 'cancel_orders', 'run_log_parts'];
  const notCompared = ['delivery_listing', 'transaction_marks', ...ofReplicas];
  const isCompared = ({ table }: Column) => !notCompared.includes(table);
  expect(describeAll(rows.filter(isCompared))).toEqual(describeAll(ofSqlite.filter(isCompared)));
});

const KEYS_OF_SQLITE = `
  SELECT tables.name AS "table", columns.name AS "column"
  FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
  WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%' AND columns.pk > 0 ORDER BY columns.pk`;

it('has a description of every table, by which it is copied to another database', () => {
  const file = new Database(':memory:');
  defineFunctions(file);
  for (const step of MIGRATIONS) file.exec(step);
  const keys: Record<string, string[]> = { delivery_listing_end: ['seq'] };
  for (const { table, column } of file.prepare<[], { table: string; column: string }>(KEYS_OF_SQLITE).all())
    keys[table] = [...(keys[table] ?? []), column];
  expect({ ...TABLE_KEYS, delivery_listing: ['webhook', 'label', 'seq'] }).toEqual(keys);
});
