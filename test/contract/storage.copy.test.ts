import { hash } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeEach, expect, inject, it } from 'vitest';
import { type CopyReport, copyStorage } from '../../src/operations/maintenance/copy-storage.ts';
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { escapeNul, restoreNul } from '../../src/storage/postgres/text-without-nul.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { withClient } from '../helpers/start-postgres.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const umask = process.umask();
afterAll(() => void process.umask(umask));

let dataDir: string;
let file: string;
let url: string;
let made = 0;
beforeEach(async () => {
  dataDir = createTempDir('copy');
  file = join(dataDir, 'dockbell.db');
  openSqliteStorage(file).close();
  made += 1;
  const name = `copy_${process.pid}_${made}`;
  await withClient(`${inject('postgresUrl')}/postgres`, (client) => client.query(`CREATE DATABASE ${name}`));
  url = `${inject('postgresUrl')}/${name}`;
});

interface Attempt {
  restart?: boolean;
  /** Interrupts the copy after this number of rows. */
  until?: number;
}

function copy({ restart = false, until = Number.POSITIVE_INFINITY }: Attempt = {}): Promise<CopyReport> {
  const interruption = new AbortController();
  const onProgress = (phase: string, doneRows: number) => {
    if (phase === 'copying' && doneRows >= until) interruption.abort();
  };
  return copyStorage({ dataDir, file, url, restart, signal: interruption.signal, onProgress });
}

const list = <Row extends object>(text: string) =>
  withClient(url, async (client) => (await client.query<Row>(text)).rows);
const execute = (text: string) => withClient(url, (client) => client.query(text));

function change(act: (db: Database.Database) => void): void {
  const db = new Database(file);
  act(db);
  db.close();
}

interface Column {
  name: string;
  type: string;
}

const listTables = (db: Database.Database) =>
  db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all();

/** Each kind of value, and texts that PostgreSQL stores in another form. The values of a row refer to the same row of other tables. */
function makeValue(type: string, row: number): unknown {
  if (type === 'INTEGER') return row + 2;
  const text = `text ${row}: \0 and \u{10FFFF} "quoted" \\ {braces}, é`;
  return type === 'TEXT' ? text : Buffer.from([0, 255, row, 92, 120]);
}

/** Fills all tables, also those that the copy does not know. */
function fillTables(rows: number): void {
  change((db) => {
    db.pragma('foreign_keys = OFF');
    db.pragma('ignore_check_constraints = ON');
    // It reads JSON, which the values are not.
    db.exec('DROP INDEX automation_versions_with_secrets; DELETE FROM delivery_listing_end');
    for (const table of listTables(db)) {
      const columns = db.pragma(`table_info(${table})`) as Column[];
      const insert = db.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`);
      for (let row = 0; row < rows; row += 1) insert.run(columns.map(({ type }) => makeValue(type, row)));
    }
  });
}

/** The rows of a table in a form that is the same for both databases. PostgreSQL returns large numbers as texts. */
function comparable(rows: readonly object[]): string[] {
  const encode = (value: unknown) => (Buffer.isBuffer(value) ? `bytes ${value.toString('hex')}` : String(value));
  const encodeRow = (row: object) =>
    Object.entries(row).map(([column, value]) => `${column}: ${value === null ? 'NULL' : restoreNul(encode(value))}`);
  return rows.map((row) => JSON.stringify(encodeRow(row).sort())).sort();
}

it('copies every table with all kinds of values', async () => {
  fillTables(3);
  const report = await copy();
  expect(report.tables.filter(({ isEqual }) => !isEqual)).toEqual([]);
  expect(report.isVerified).toBe(true);
  const db = new Database(file, { readonly: true });
  for (const table of listTables(db)) {
    // PostgreSQL derives it.
    if (table === 'delivery_listing') continue;
    const stored = db.prepare<[], object>(`SELECT * FROM ${table}`).all();
    expect(stored.length, table).toBeGreaterThanOrEqual(1);
    expect(comparable(await list(`SELECT * FROM ${table}`)), table).toEqual(comparable(stored));
  }
  db.close();
});

it('gives the claims of logged deliveries to PostgreSQL, after those that have left the log', async () => {
  change((db) => {
    const insert = db.prepare(
      `INSERT INTO deliveries (id, webhook, label, identity_source, identity, identity_key, body_key, replay_of, size, received_at, client_address)
       VALUES (?, 7, ?, 1, ?, ?, ?, ?, 2, 50, 'local')`,
    );
    insert.run('dlv_1', 0, 'a', null, 'sha256:1', null);
    insert.run('dlv_2', 0, 'b', 'another key\0', null, null);
    insert.run('dlv_rejected', 2, 'c', null, null, null);
    insert.run('dlv_without_claim', 0, 'd', '', null, null);
    insert.run('dlv_replay', 0, 'a', null, null, 'dlv_1');
    db.exec(
      `INSERT INTO delivery_contents (delivery, body, decisions) SELECT seq, CAST(id AS BLOB), '[]' FROM deliveries`,
    );
    db.exec(`INSERT INTO identities VALUES (41, 7, 1, 'left', 'dlv_0', x'00', 40)`);
  });
  expect((await copy()).isVerified).toBe(true);
  const claims = await list<{ key: string; delivery: string; body_hash: Buffer }>(
    'SELECT * FROM identities ORDER BY seq',
  );
  expect(claims.map(({ key, delivery }) => [key, delivery])).toEqual([
    ['left', 'dlv_0'],
    ['a', 'dlv_1'],
    [escapeNul('another key\0'), 'dlv_2'],
    ['sha256:1', 'dlv_1'],
  ]);
  expect(claims[1]!.body_hash).toEqual(hash('sha256', 'dlv_1', 'buffer'));
});

it('continues the numbers after those that were used, also by deleted rows', async () => {
  fillTables(2);
  change((db) => db.exec("UPDATE sqlite_sequence SET seq = 900 WHERE name = 'automation_versions'"));
  await copy();
  const next = async (table: string, column: string) => {
    const [row] = await list<{ next: string }>(
      `SELECT nextval(pg_get_serial_sequence('${table}', '${column}')) AS next`,
    );
    return Number(row!.next);
  };
  expect(await next('automation_versions', 'version')).toBe(901);
  expect(await next('deliveries', 'seq')).toBe(4);
  expect(await next('webhooks', 'ref')).toBe(4);
});

it('continues an interrupted copy behind the rows that the target has', async () => {
  fillTables(3);
  change((db) => {
    db.exec(`WITH RECURSIVE numbers (n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
      INSERT INTO delivery_counts SELECT n, n, 1, 1 FROM numbers`);
  });
  await expect(copy({ until: 2000 })).rejects.toMatchObject({ code: 'shutting_down' });
  const [progress] = await list<{ copied: string }>(
    "SELECT copied FROM dockbell_copied_tables WHERE name = 'delivery_counts'",
  );
  expect(Number(progress!.copied)).toBeGreaterThan(0);
  expect(Number(progress!.copied)).toBeLessThan(4994);
  const xmin = (table: string) => list<{ x: string }>(`SELECT min(xmin::text::bigint)::text AS x FROM ${table}`);
  const first = await xmin('delivery_counts');
  expect((await copy()).isVerified).toBe(true);
  expect(await xmin('delivery_counts')).toEqual(first);
  expect(await list("SELECT 1 FROM pg_tables WHERE tablename LIKE 'dockbell_cop%'")).toEqual([]);
});

it('finds a changed, a missing and an additional row, and lets no daemon start', async () => {
  fillTables(3);
  await expect(copy({ until: 1 })).rejects.toThrow('interrupted');
  await execute(`CREATE FUNCTION tamper() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.size = 77; RETURN NEW; END $$;
    CREATE TRIGGER tamper BEFORE INSERT ON deliveries FOR EACH ROW WHEN (NEW.seq = 3) EXECUTE FUNCTION tamper();
    CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER skip BEFORE INSERT ON budget_waits FOR EACH ROW WHEN (NEW.opens_at = 4) EXECUTE FUNCTION skip();
    INSERT INTO webhook_traffic (webhook) VALUES (1000)`);
  const { tables, isVerified } = await copy();
  expect(isVerified).toBe(false);
  const different = tables.filter(({ isEqual }) => !isEqual);
  expect(
    different.map(({ name, source, target, firstDifference }) => [name, source.rows, target.rows, firstDifference]),
  ).toEqual([
    ['deliveries', 3, 3, '[3]'],
    ['webhook_traffic', 3, 4, null],
    ['budget_waits', 3, 2, expect.stringContaining('text 2')],
  ]);
  for (const { source, target } of different.filter(({ name }) => name !== 'webhook_traffic'))
    expect(source.digest).not.toBe(target.digest);
  await expect(openPostgresStorage({ url, pool: 2 })).rejects.toThrow("Finish it with 'dockbell storage copy'");
  await execute('DROP FUNCTION tamper CASCADE; DROP FUNCTION skip CASCADE');
  expect((await copy({ restart: true })).isVerified).toBe(true);
  await (await openPostgresStorage({ url, pool: 2 })).close();
});

it('rejects a source that changed since the interruption, unless the copy begins again', async () => {
  fillTables(3);
  await expect(copy({ until: 1 })).rejects.toThrow('interrupted');
  change((db) => db.exec('DELETE FROM pauses'));
  await expect(copy()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('--restart') });
  expect((await copy({ restart: true })).isVerified).toBe(true);
});

it('rejects a target that a daemon has used, also with --restart', async () => {
  const used = await openPostgresStorage({ url, pool: 2 });
  await used.sealedSecrets.setKeyCheck(Buffer.from('check'));
  await used.close();
  await expect(copy({ restart: true })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('the target is not empty'),
  });
  expect(await list('SELECT 1 FROM settings')).toHaveLength(1);
});

it('copies to a database that a daemon has opened, but not used', async () => {
  await (await openPostgresStorage({ url, pool: 2 })).close();
  fillTables(1);
  expect((await copy()).isVerified).toBe(true);
});

it('requires the current schema of the source', async () => {
  change((db) => db.pragma(`user_version = ${MIGRATIONS.length - 1}`));
  await expect(copy()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('start this version once'),
  });
  change((db) => db.pragma(`user_version = ${MIGRATIONS.length + 1}`));
  await expect(copy()).rejects.toMatchObject({ code: 'storage_newer' });
});
