import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { AppError, messageOf } from '../../../core/errors.ts';
import { MIGRATIONS } from '../migrations.ts';
import { describeDamage } from './check-database.ts';
import { limitWal } from './database-space.ts';
import { rebuildShrinkable } from './rebuild-database.ts';
import { WAL_BYTES } from './space-guard.ts';
import { isInputOutputError, toStorageError } from './storage-error.ts';

/** `PRAGMA synchronous` as SQLite numbers it. */
const SYNCHRONOUS_FULL = 2;

/**
 * Opens the database for writing deliveries and brings its schema up to date.
 *
 * Throws `storage_newer` for a file that a newer Dockbell wrote (nothing is changed), `storage_damaged` for one that is no
 * whole database, `storage_unavailable` if the disk is full or fails, and `storage_broken` for one that cannot be opened
 * or migrated otherwise, and where a commit would not be on disk when it returns.
 *
 * @param steps the schema, as `MIGRATIONS` explains
 * @param warn gets a sentence about the file that an operator should know
 */
export function openDatabase(
  file: string,
  steps: readonly string[] = MIGRATIONS,
  warn: (message: string) => void = () => undefined,
): Database.Database {
  try {
    const db = openAndMigrate(file, steps);
    if (canShrink(db)) return db;
    db.close();
    const problem = rebuildShrinkable(file);
    if (problem !== null) warn(problem);
    return openAndMigrate(file, steps);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw describeOpenFailure(file, error);
  }
}

function describeOpenFailure(file: string, error: unknown): AppError {
  const told = toStorageError(error);
  if (told instanceof AppError && told.code === 'storage_damaged') return describeDamage(file, told.message);
  const isPassing = (told instanceof AppError && told.code === 'storage_unavailable') || isInputOutputError(error);
  const code = isPassing ? 'storage_unavailable' : 'storage_broken';
  return new AppError(code, `${file} cannot be used as the database: ${messageOf(error)}`, { cause: error });
}

function openAndMigrate(file: string, steps: readonly string[]): Database.Database {
  const isNew = !existsSync(file);
  const db = new Database(file);
  try {
    refuseNewer(db, file, steps.length);
    configureDurability(db);
    migrate(db, file, isNew, steps);
    assertDurability(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function canShrink(db: Database.Database): boolean {
  return db.pragma('auto_vacuum', { simple: true }) !== 0;
}

function schemaVersion(db: Database.Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

function refuseNewer(db: Database.Database, file: string, known: number): void {
  const version = schemaVersion(db);
  if (version <= known) return;
  throw new AppError(
    'storage_newer',
    `${file} has schema version ${version}, this Dockbell knows versions up to ${known}: ` +
      'start the newer Dockbell again, or restore the backup that it made before it migrated. Nothing was changed.',
  );
}

/** Threat model D1: better-sqlite3's own default in WAL is NORMAL, which loses acknowledged rows at power loss. */
function configureDurability(db: Database.Database): void {
  // Counts for an empty file alone, and only before anything else is written to it.
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  // SQLite's own four megabytes would be a checkpoint, with two more fsyncs, for every few batches of a busy ingress.
  limitWal(db, WAL_BYTES);
  db.pragma('temp_store = MEMORY');
  db.pragma('cache_size = -65536');
}

/** All missing steps in one transaction, after a copy of what was there (threat model D14). */
function migrate(db: Database.Database, file: string, isNew: boolean, steps: readonly string[]): void {
  const version = schemaVersion(db);
  if (version === steps.length) return;
  if (!isNew && version > 0) backUp(db, `${file}.before-v${steps.length}`);
  db.transaction(() => {
    for (const step of steps.slice(version)) db.exec(step);
    db.pragma(`user_version = ${steps.length}`);
  }).immediate();
}

/** A copy appears under its name only when it is whole and on disk; one left by a migration that failed is replaced. */
function backUp(db: Database.Database, backup: string): void {
  const unfinished = `${backup}.unfinished`;
  rmSync(unfinished, { force: true });
  db.prepare('VACUUM INTO ?').run(unfinished);
  syncFile(unfinished);
  renameSync(unfinished, backup);
  syncFile(dirname(backup));
}

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The pragma reads FULL until the first write even where it does not hold, so write first, then ask. What is written is
 * always the same, so that a start that is refused later (a wrong master key) leaves the file as it was.
 */
function assertDurability(db: Database.Database, file: string): void {
  db.prepare(
    "INSERT INTO settings (key, value) VALUES ('durability_probe', x'01') " +
      'ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  ).run();
  const synchronous = db.pragma('synchronous', { simple: true });
  const journal = db.pragma('journal_mode', { simple: true });
  if (synchronous === SYNCHRONOUS_FULL && journal === 'wal') return;
  throw new AppError(
    'storage_broken',
    `${file} does not keep what it commits (journal_mode ${journal}, synchronous ${synchronous}, needed wal and 2): ` +
      'put the data directory on a local file system that supports SQLite in WAL mode',
  );
}
