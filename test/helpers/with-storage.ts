import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, inject } from 'vitest';
import type { Storage } from '../../src/domain/ports/storage.ts';
import { openPostgresStorage, type PostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { createDatabaseFile } from './new-database.ts';
import { PostgresProxy } from './postgres-proxy.ts';
import { withClient } from './start-postgres.ts';

/** A storage that can be closed and opened again with the same data. */
export interface OpenedStorage {
  storage: Storage;
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** An implementation of the storage. Each test gets a separate, empty storage, which may be in the given folder. */
export interface StorageKind {
  name: string;
  open(folder: string): Promise<OpenedStorage>;
}

export const SQLITE: StorageKind = { name: 'SQLite', open: openOnFile };

export const POSTGRES: StorageKind = { name: 'PostgreSQL', open: openOnServer };

/** With `DOCKBELL_LOST_COMMITS=1`, each write on PostgreSQL loses the answer to its COMMIT (`test/faults/lost-commits`). */
const LOSES_COMMITS = process.env.DOCKBELL_LOST_COMMITS === '1';

/** The implementations that the contract tests run on. */
export const STORAGES: readonly StorageKind[] = LOSES_COMMITS ? [POSTGRES] : [SQLITE, POSTGRES];

async function openOnFile(folder: string): Promise<OpenedStorage> {
  const file = join(folder, 'dockbell.db');
  createDatabaseFile(file);
  let current = openSqliteStorage(file);
  return {
    get storage() {
      return current;
    },
    reopen: async () => {
      current.close();
      current = openSqliteStorage(file);
    },
    close: async () => current.close(),
  };
}

/** The database of this process, which each test finds empty. */
interface SharedDatabase {
  url: string;
  storage: PostgresStorage;
  empty(): Promise<void>;
}

let shared: Promise<SharedDatabase> | null = null;

/** Tests of one process share a database and its connections: to create them takes longer than most tests. */
async function openOnServer(): Promise<OpenedStorage> {
  shared ??= createDatabase();
  const database = await shared;
  await database.empty();
  return {
    get storage() {
      return database.storage;
    },
    reopen: async () => {
      await database.storage.close();
      database.storage = await openPostgresStorage({ url: database.url, pool: 4 });
    },
    close: async () => undefined,
  };
}

async function createDatabase(): Promise<SharedDatabase> {
  const server = inject('postgresUrl');
  const name = `contract_${process.pid}`;
  await withClient(`${server}/postgres`, (client) => client.query(`CREATE DATABASE ${name}`));
  const direct = `${server}/${name}`;
  const proxy = LOSES_COMMITS ? await PostgresProxy.start(direct) : null;
  const url = proxy?.urlOf(direct) ?? direct;
  const storage = await openPostgresStorage({ url, pool: 4 });
  proxy?.cutEveryCommitOfInsert();
  const client = new Client({ connectionString: direct });
  // The server stops after the last test of the process.
  client.on('error', () => undefined);
  await client.connect();
  const deletion = await composeDeletion(client);
  return { url, storage, empty: async () => void (await client.query(deletion)) };
}

/** Deletes all rows. To truncate the tables takes much longer. */
export async function composeDeletion(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'dockbell_schema'",
  );
  const deletions = rows.map(({ name }) => `DELETE FROM "${name}";`).join(' ');
  return `SET session_replication_role = replica; ${deletions} INSERT INTO delivery_listing_end (seq) VALUES (0)`;
}

/**
 * Opens a storage before each test and closes it afterwards. The folder of a failed test is kept. The properties may
 * be read only inside tests.
 */
export function useStorage(kind: StorageKind): OpenedStorage {
  const folder = useFolder();
  let opened: OpenedStorage | null = null;
  beforeEach(async () => {
    opened = await kind.open(folder.path);
  });
  afterEach(() => opened?.close());
  return {
    get storage() {
      return opened!.storage;
    },
    reopen: () => opened!.reopen(),
    close: () => opened!.close(),
  };
}

/** A separate folder for each test, deleted when the test has passed. */
export function useFolder(): { readonly path: string } {
  let path = '';
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'dockbell-storage-'));
  });
  afterEach(({ task }) => {
    if (task.result?.state !== 'fail') rmSync(path, { recursive: true, force: true });
  });
  return {
    get path() {
      return path;
    },
  };
}
