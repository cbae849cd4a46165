import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/storage/sqlite/disk/open-database.ts';

/** Made once per process, and so for several test files: the bytes outlive this module. */
const KEY = Symbol.for('dockbell.new-database');
const shared = globalThis as { [KEY]?: Buffer };

/** The bytes of a new database. The migrations take twenty times the processor time of opening a copy. */
export function readNewDatabase(): Buffer {
  shared[KEY] ??= migrateNewDatabase();
  return shared[KEY];
}

/** Creates a file as `openDatabase` does. An existing file is left alone. */
export function createDatabaseFile(file: string): void {
  if (!existsSync(file)) writeFileSync(file, readNewDatabase());
}

function migrateNewDatabase(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'dockbell-new-'));
  try {
    const file = join(folder, 'dockbell.db');
    const db = openDatabase(file);
    // A copy in memory cannot have a write-ahead log. `openDatabase` sets it again for a copy in a file.
    db.pragma('journal_mode = DELETE');
    db.close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
