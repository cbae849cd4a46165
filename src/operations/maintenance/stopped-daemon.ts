// Work on the data of a stopped daemon: `rotate-master-key.ts`, `reset-admin-token.ts`, `copy-storage.ts`.
// In: a data directory and the section `storage`. Out: an open storage, with a lock that keeps daemons from starting.

import { AppError } from '../../domain/errors.ts';
import type { KeyProof } from '../../domain/ports/secret-store.ts';
import type { Storage } from '../../domain/ports/storage.ts';
import { type DataPaths, resolveDataPaths } from '../../platform/data-dir/data-paths.ts';
import { requireOwnDatabase, requireOwnDataDir } from '../../platform/data-dir/require-database.ts';
import { removeDrafts } from '../../platform/files/write-durably.ts';
import { lockDataDir } from '../../storage/data-dir-lock.ts';
import { holdDaemonLock } from '../../storage/postgres/daemon-lock.ts';
import { inspectPostgres } from '../../storage/postgres/inspect-database.ts';
import { openPostgresStorage } from '../../storage/postgres/postgres-storage.ts';
import { readKeyProof, type StoragePlace } from '../../storage/read-key-proof.ts';
import { openSqliteStorage } from '../../storage/sqlite/sqlite-storage.ts';

/** A daemon that does not run: its data directory, and what its configuration says about the storage. */
export interface StoppedDaemon {
  dataDir: string;
  storage: StoragePlace;
}

type Work<Result> = (storage: Storage, paths: DataPaths) => Promise<Result>;

/** Throws if the work must not begin. Nothing is written yet: opening a storage migrates it. */
type Examine = (proof: KeyProof | null) => Promise<void>;

/** The storage executes one operation after another. */
const CONNECTIONS = 2;

/**
 * Does something with the storage of a daemon that is stopped, and keeps one from starting until it is done.
 *
 * Throws `data_dir_locked` while a daemon runs, `bad_request` if there is no database, and `forbidden` if the data belong to
 * another user. Throws what opening the database and the work throw.
 */
export async function withStoppedDaemon<Result>(
  daemon: StoppedDaemon,
  work: Work<Result>,
  examine: Examine | null = null,
): Promise<Result> {
  const { dataDir, storage } = daemon;
  const paths = resolveDataPaths(dataDir);
  if (storage.type === 'sqlite') requireOwnDatabase(paths.database, dataDir);
  else requireOwnDataDir(dataDir);
  process.umask(0o077);
  const lock = lockDataDir(dataDir);
  try {
    await removeDrafts(dataDir);
    const prepare = async () => examine?.(await readKeyProof(storage, paths.database));
    if (storage.type === 'sqlite') return await withSqlite(paths, work, prepare);
    return await withPostgres(storage.url!, (opened) => work(opened, paths), prepare);
  } finally {
    lock.release();
  }
}

async function withSqlite<Result>(paths: DataPaths, work: Work<Result>, prepare: () => Promise<void>): Promise<Result> {
  await prepare();
  const storage = openSqliteStorage(paths.database);
  try {
    return await work(storage, paths);
  } finally {
    storage.close();
  }
}

async function withPostgres<Result>(
  url: string,
  work: (storage: Storage) => Promise<Result>,
  prepare: () => Promise<void>,
): Promise<Result> {
  let onTaken!: (error: AppError) => void;
  const taken = new Promise<never>((_, reject) => {
    onTaken = reject;
  });
  // Work that does not wait any more has failed, or is done.
  taken.catch(() => undefined);
  const lock = await holdDaemonLock(url, onTaken);
  try {
    await requireSchema(url);
    await prepare();
    const storage = await openPostgresStorage({ url, pool: CONNECTIONS });
    try {
      return await Promise.race([work(storage), taken]);
    } finally {
      await storage.close();
    }
  } finally {
    await lock.release();
  }
}

/** Opening a database that no daemon has used would create its tables. */
async function requireSchema(url: string): Promise<void> {
  if ((await inspectPostgres(url)).schema !== null) return;
  throw new AppError(
    'bad_request',
    'the database of storage.url has no data of Dockbell: check the URL, or start the daemon first',
  );
}
