import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError, messageOf } from '../domain/errors.ts';

/**
 * Locks the data directory for this process (threat model D15). SQLite's file locking holds an exclusive lock of the
 * operating system, so the lock ends with the process, even after a crash.
 *
 * Throws `data_dir_locked` with the ID of the process that holds the lock, `storage_broken` if the folder is not
 * writable, and `storage_unavailable` if its disk fails or is full.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const owner = join(dataDir, 'daemon.pid');
  const lock = takeLock(dataDir, owner);
  // Replaces a link or a file that someone else created, and never writes through it.
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
    throw describeLockFailure(error, dataDir, owner);
  }
}

function describeLockFailure(error: unknown, dataDir: string, owner: string): AppError {
  if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') {
    return new AppError(
      'data_dir_locked',
      `${dataDir} is in use by another Dockbell (process ${readOwner(owner)}): stop it, or choose another dataDir`,
      { cause: error },
    );
  }
  return new AppError(
    isPassing(error) ? 'storage_unavailable' : 'storage_broken',
    `${dataDir} cannot be locked: ${messageOf(error)}. Choose a folder that this user can write to`,
    { cause: error },
  );
}

/** The disk fails or is full, so a later start may succeed. */
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
