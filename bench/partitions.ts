import type { Client } from 'pg';
import { startPostgres, withClient } from '../test/helpers/start-postgres.ts';
import { type Benchmark, type BenchOptions, row, type Table } from './kit/benchmark.ts';

/** What retention would cost if the delivery log of PostgreSQL was partitioned by time. */
export const benchmark: Benchmark = {
  summary: 'removing a quarter of a large table of PostgreSQL: rows deleted in pieces, and a partition dropped',
  isDurable: true,
  defaults: { rounds: 3, seconds: 1 },
  run,
};

const PARTITIONS = 4;
const ROWS = 1_000_000;
/** As many as one step of retention removes. */
const PIECE = 500;
const COLUMNS = 'seq bigint PRIMARY KEY, id text NOT NULL, received_at bigint NOT NULL, body text NOT NULL';
const MIB = 2 ** 20;

/** What one step cost. */
interface Cost {
  seconds: number;
  walMib: number;
}

/** One round. */
interface Measured {
  deletion: Cost;
  vacuum: Cost;
  drop: Cost;
  /** Size of the table and its indexes after all steps. */
  deletedMib: number;
  droppedMib: number;
}

async function run({ rounds, isQuick }: BenchOptions): Promise<Table[]> {
  const rows = isQuick ? ROWS / 100 : ROWS;
  const server = await startPostgres();
  try {
    const measured: Measured[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const url = await server.createDatabase(`partitions_${round}`);
      measured.push(await withClient(url, (client) => measure(client, rows)));
    }
    return [describe(measured, rows)];
  } finally {
    await server.remove();
  }
}

async function measure(client: Client, rows: number): Promise<Measured> {
  const part = rows / PARTITIONS;
  await client.query(`CREATE TABLE plain (${COLUMNS}); CREATE UNIQUE INDEX ON plain (id)`);
  await client.query(`CREATE TABLE parted (${COLUMNS}) PARTITION BY RANGE (seq); CREATE INDEX ON parted (id)`);
  for (let index = 0; index < PARTITIONS; index += 1) {
    const range = `FROM (${index * part}) TO (${(index + 1) * part})`;
    await client.query(`CREATE TABLE parted_${index} PARTITION OF parted FOR VALUES ${range}`);
  }
  for (const table of ['plain', 'parted']) await client.query(fill(table, rows));
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  const pieces = Array.from({ length: part / PIECE }, (_, index) => deletePiece(index * PIECE));
  return {
    deletion: await measureCost(client, pieces),
    vacuum: await measureCost(client, ['VACUUM plain']),
    drop: await measureCost(client, ['DROP TABLE parted_0']),
    deletedMib: await measureSize(client, "pg_total_relation_size('plain')"),
    droppedMib: await measureSize(
      client,
      "(SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'parted'::regclass)",
    ),
  };
}

function fill(table: string, rows: number): string {
  return `INSERT INTO ${table} SELECT n, md5(n::text), n, repeat('x', 1000) FROM generate_series(0, ${rows - 1}) n`;
}

function deletePiece(first: number): string {
  return `DELETE FROM plain WHERE seq >= ${first} AND seq < ${first + PIECE}`;
}

async function measureCost(client: Client, statements: readonly string[]): Promise<Cost> {
  const before = await client.query('SELECT pg_current_wal_insert_lsn() AS lsn');
  const since = performance.now();
  for (const statement of statements) await client.query(statement);
  const seconds = (performance.now() - since) / 1000;
  const { rows } = await client.query('SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::float8 AS bytes', [
    before.rows[0].lsn,
  ]);
  return { seconds, walMib: rows[0].bytes / MIB };
}

async function measureSize(client: Client, expression: string): Promise<number> {
  const { rows } = await client.query(`SELECT ${expression}::float8 AS bytes`);
  return rows[0].bytes / MIB;
}

function describe(measured: readonly Measured[], rows: number): Table {
  const of = (step: 'deletion' | 'vacuum' | 'drop', figure: keyof Cost) => measured.map((one) => one[step][figure]);
  return {
    title: `Removing a quarter of ${rows.toLocaleString('en')} rows`,
    notes: [
      'Rows of 1,000 bytes with two indexes, in tables that nothing else uses. These are not the tables of Dockbell.',
      `Rows are deleted in pieces of ${PIECE}, one transaction each. The partition has the same rows.`,
    ],
    rows: [
      row('delete the rows', 's', of('deletion', 'seconds')),
      row('vacuum after it', 's', of('vacuum', 'seconds')),
      row('drop the partition', 's', of('drop', 'seconds')),
      row('WAL of the deletion', 'MiB', of('deletion', 'walMib')),
      row('WAL of the vacuum', 'MiB', of('vacuum', 'walMib')),
      row('WAL of the drop', 'MiB', of('drop', 'walMib')),
      row(
        'table after deletion and vacuum',
        'MiB',
        measured.map(({ deletedMib }) => deletedMib),
      ),
      row(
        'table after the drop',
        'MiB',
        measured.map(({ droppedMib }) => droppedMib),
      ),
    ],
  };
}
