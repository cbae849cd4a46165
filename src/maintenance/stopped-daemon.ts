import type { Storage } from '../core/ports/storage.ts';
import { type DataPaths, resolveDataPaths } from '../data-dir/data-paths.ts';
import { requireOwnDatabase } from '../data-dir/require-database.ts';
import { removeDrafts } from '../files/write-durably.ts';
import { lockDataDir } from '../storage/data-dir-lock.ts';
import { openSqliteStorage } from '../storage/sqlite/sqlite-storage.ts';

/**
 * Does something with the storage of a daemon that is stopped, and keeps one from starting until it is done.
 *
 * Throws `data_dir_locked` while a daemon runs, `not_found` if the folder holds no database, `forbidden` if the
 * database belongs to another user, and what opening the database and the work throw.
 */
export async function withStoppedDaemon<T>(
  dataDir: string,
  work: (storage: Storage, paths: DataPaths) => Promise<T>,
): Promise<T> {
  const paths = resolveDataPaths(dataDir);
  requireOwnDatabase(paths.database, dataDir);
  process.umask(0o077);
  const lock = lockDataDir(dataDir);
  try {
    await removeDrafts(dataDir);
    const storage = openSqliteStorage(paths.database);
    try {
      return await work(storage, paths);
    } finally {
      storage.close();
    }
  } finally {
    lock.release();
  }
}
