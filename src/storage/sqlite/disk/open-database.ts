// The file of SQLite and its disk. In: a path. Out: a database whose commits are durable, in the schema of this version.
// Before a migration: `migration-backups.ts`. While it works: `space-guard.ts` and `full-disk.ts` for space, `write-lock.ts`
// for other processes, `background-check.ts` for damage. `copy-in-background.ts` copies it for backups. `storage-error.ts`
// names what failed.

import Database from 'better-sqlite3';
import { AppError, messageOf } from '../../../domain/errors.ts';
import { defineFunctions } from '../define-functions.ts';
import { MIGRATIONS } from '../migrations.ts';
import { describeDamage } from './check-database.ts';
import { limitWal } from './database-space.ts';
import { backUpBefore, findBackup, removeUnfinishedBackups } from './migration-backups.ts';
import { rebuildShrinkable } from './rebuild-database.ts';
import { requireDurability } from './require-durability.ts';
import { noteWriter, readWriter } from './schema-writer.ts';
import { WAL_BYTES } from './space-guard.ts';
import { isInputOutputError, toStorageError } from './storage-error.ts';

/** What happened while a database was opened. */
export interface OpenReport {
  /** Why the file cannot shrink. */
  warn(message: string): void;
  /** The schema was changed, and `backup` is the file as it was before. */
  migrated(migration: Migration): void;
}

export interface Migration {
  from: number;
  to: number;
  backup: string;
}

/** For callers that log nothing. */
export const UNREPORTED: OpenReport = { warn: () => undefined, migrated: () => undefined };

/**
 * Opens the database for writing deliveries and brings its schema up to date.
 *
 * Throws:
 * - `storage_newer` if a newer Dockbell wrote the file. The file is not changed.
 * - `storage_damaged` if the file is not a complete database.
 * - `storage_unavailable` if the disk is full or fails.
 * - `storage_broken` if the file cannot be opened or migrated for another reason, or if the file system does not make
 *   commits durable.
 *
 * @param steps the migrations, see `MIGRATIONS`
 */
export function openDatabase(
  file: string,
  steps: readonly string[] = MIGRATIONS,
  report: OpenReport = UNREPORTED,
): Database.Database {
  try {
    removeUnfinishedBackups(file);
    const db = openAndMigrate(file, steps, report);
    if (canShrink(db)) return db;
    db.close();
    const problem = rebuildShrinkable(file);
    if (problem !== null) report.warn(problem);
    return openAndMigrate(file, steps, report);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw describeOpenFailure(file, error);
  }
}

function describeOpenFailure(file: string, error: unknown): AppError {
  const translated = toStorageError(error);
  const reason = translated instanceof AppError ? translated.code : 'internal';
  if (reason === 'storage_damaged') return describeDamage(file, messageOf(translated));
  const isTransient = reason === 'storage_unavailable' || isInputOutputError(error);
  const code = isTransient ? 'storage_unavailable' : 'storage_broken';
  return new AppError(code, `${file} cannot be used as the database: ${messageOf(error)}`, { cause: error });
}

function openAndMigrate(file: string, steps: readonly string[], report: OpenReport): Database.Database {
  const db = new Database(file);
  try {
    rejectNewer(db, file, steps.length);
    configureDurability(db);
    defineFunctions(db);
    migrate(db, file, steps, report);
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

function rejectNewer(db: Database.Database, file: string, known: number): void {
  const version = schemaVersion(db);
  if (version <= known) return;
  const writer = readWriter(db);
  const newer = writer === null ? 'start the newer Dockbell' : `start Dockbell ${writer} or newer`;
  const backup = findBackup(file, known);
  const back =
    backup === null
      ? 'restore a backup that this version can read'
      : `copy ${backup.path} (schema version ${backup.schemaVersion}, from before the upgrade) to its place`;
  throw new AppError(
    'storage_newer',
    `${file} has schema version ${version}, but this Dockbell supports versions up to ${known}: ${newer}, or ${back} and ` +
      'lose what was stored since. Nothing was changed. The documentation describes the steps, "Upgrading"',
  );
}

/**
 * The default of better-sqlite3 in WAL mode is NORMAL, which loses acknowledged rows at a power loss (threat model D1).
 */
function configureDurability(db: Database.Database): void {
  // Has an effect only in an empty file, before the first write.
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  // The last resort: see `Checkpointer`. With the default of four megabytes, commits would checkpoint under load.
  limitWal(db, WAL_BYTES);
  db.pragma('temp_store = MEMORY');
  // New rows need few pages, and the page cache of the system has the others. A larger cache does not make a batch faster.
  db.pragma('cache_size = -2048');
}

/** Runs all missing steps in one transaction, after a backup of the file (threat model D14). */
function migrate(db: Database.Database, file: string, steps: readonly string[], report: OpenReport): void {
  const version = schemaVersion(db);
  if (version === steps.length) return;
  const backup = version > 0 ? backUpBefore(db, file, steps.length) : null;
  db.transaction(() => {
    for (const step of steps.slice(version)) db.exec(step);
    db.pragma(`user_version = ${steps.length}`);
    noteWriter(db);
  }).immediate();
  if (backup !== null) report.migrated({ from: version, to: steps.length, backup });
}

/**
 * Writes first, because the pragma returns FULL before the first write even if the file system does not support it. The
 * written value is constant.
 */
function assertDurability(db: Database.Database, file: string): void {
  db.prepare(
    "INSERT INTO settings (key, value) VALUES ('durability_probe', x'01') " +
      'ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  ).run();
  requireDurability(db, file);
}
