import { existsSync, statSync } from 'node:fs';
import { AppError } from '../core/errors.ts';
import type { Storage } from '../core/ports/storage.ts';
import { type DataPaths, resolveDataPaths } from '../data-dir/data-paths.ts';
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
  requireDatabase(paths.database, dataDir);
  process.umask(0o077);
  const lock = lockDataDir(dataDir);
  try {
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

/** Another user, even root, would leave files behind that the daemon cannot read. */
function requireDatabase(database: string, dataDir: string): void {
  if (!existsSync(database)) {
    throw new AppError(
      'not_found',
      `${dataDir} holds no database of Dockbell: name its data directory with --data-dir`,
    );
  }
  const { uid } = statSync(database);
  if (process.getuid === undefined || process.getuid() === uid) return;
  throw new AppError(
    'forbidden',
    `${database} belongs to the user with ID ${uid}: run the command as that user, for example with sudo -u '#${uid}'`,
  );
}
