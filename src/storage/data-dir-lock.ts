import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError, messageOf } from '../core/errors.ts';

/**
 * Takes the data directory for this process (threat model D15): an exclusive lock of the operating system, held by
 * way of SQLite's own file locking, so that it goes with the process however that ends.
 *
 * Throws `data_dir_locked` naming the process that has it, `storage_broken` where the folder cannot be written,
 * `storage_unavailable` while its disk fails or is full.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const owner = join(dataDir, 'daemon.pid');
  const lock = takeLock(dataDir, owner);
  // Never through a link or into a file that somebody else has put there.
  rmSync(owner, { force: true });
  writeFileSync(owner, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
  return {
    release: () => {
      rmSync(owner, { force: true });
      lock.close();
    },
  };
}

function takeLock(dataDir: string, owner: string): Database.Database {
  let lock: Database.Database | null = null;
  try {
    lock = new Database(join(dataDir, 'daemon.lock'), { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    throw describeRefusal(error, dataDir, owner);
  }
}

function describeRefusal(error: unknown, dataDir: string, owner: string): AppError {
  if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') {
    return new AppError(
      'data_dir_locked',
      `${dataDir} is in use by another Dockbell (process ${readOwner(owner)}): stop it, or choose another dataDir`,
      { cause: error },
    );
  }
  return new AppError(
    isPassing(error) ? 'storage_unavailable' : 'storage_broken',
    `${dataDir} cannot be locked: ${messageOf(error)}. It has to be a folder that this user may write to`,
    { cause: error },
  );
}

/** The disk fails or is full: another start may succeed. */
function isPassing(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(IOERR|FULL|NOMEM)/.test(error.code);
}

function readOwner(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
