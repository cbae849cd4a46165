import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../core/errors.ts';

/**
 * Takes the data directory for this process (threat model D15): an exclusive lock of the operating system, held by
 * way of SQLite's own file locking, so that it goes with the process however that ends.
 *
 * Throws `data_dir_locked` naming the process that has it.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const owner = join(dataDir, 'daemon.pid');
  const lock = new Database(join(dataDir, 'daemon.lock'), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new AppError(
      'data_dir_locked',
      `${dataDir} is in use by another Dockbell (process ${readOwner(owner)}): stop it, or choose another dataDir`,
      { cause: error },
    );
  }
  writeFileSync(owner, `${process.pid}\n`);
  return {
    release: () => lock.close(),
  };
}

function readOwner(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
