import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { syncPath } from './sync-path.ts';

/** Copies of the database from before migrations: `dockbell.db.before-v<new schema version>`. */
const MAX_KEPT = 3;
const UNFINISHED = '.unfinished';

/**
 * Copies a database before its schema is changed. The copy gets its name after it is complete and on disk. It replaces the
 * copy of a failed migration to the same version. The oldest copies are removed. Returns the path.
 */
export function backUpBefore(db: Database.Database, file: string, newVersion: number): string {
  const backup = `${file}.before-v${newVersion}`;
  const unfinished = `${backup}${UNFINISHED}`;
  db.prepare<{ unfinished: string }>('VACUUM INTO @unfinished').run({ unfinished });
  syncPath(unfinished);
  renameSync(unfinished, backup);
  for (const { path } of listBackups(file).slice(MAX_KEPT)) rmSync(path, { force: true });
  syncPath(dirname(backup));
  return backup;
}

/** Removes what a killed migration left. */
export function removeUnfinishedBackups(file: string): void {
  for (const name of listNames(file)) {
    if (name.endsWith(UNFINISHED)) rmSync(join(dirname(file), name), { force: true });
  }
}

/** The most recent copy with a schema version up to `known`; `null` if there is none. */
export function findBackup(file: string, known: number): { path: string; schemaVersion: number } | null {
  for (const { path } of listBackups(file)) {
    const schemaVersion = readSchemaVersion(path);
    if (schemaVersion !== null && schemaVersion <= known) return { path, schemaVersion };
  }
  return null;
}

/** The copies, that of the latest migration first. */
function listBackups(file: string): { path: string; newVersion: number }[] {
  return listNames(file)
    .flatMap((name) => {
      const newVersion = /\.before-v(\d+)$/.exec(name)?.[1];
      return newVersion === undefined ? [] : [{ path: join(dirname(file), name), newVersion: Number(newVersion) }];
    })
    .sort((one, other) => other.newVersion - one.newVersion);
}

function listNames(file: string): string[] {
  return readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.before-v`));
}

/** `null` if the file is not a database. */
function readSchemaVersion(path: string): number | null {
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true });
    try {
      return db.pragma('user_version', { simple: true }) as number;
    } finally {
      db.close();
    }
  } catch {
    return null;
  }
}
