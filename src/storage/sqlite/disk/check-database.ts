import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError } from '../../../core/errors.ts';
import { toStorageError } from './storage-error.ts';

/** Checked before a start serves: a second at most on a slow disk. Larger files are checked while the daemon runs. */
const MAX_CHECKED_AT_START_BYTES = 128 * 1024 * 1024;

/** What to do about a damaged database; every message about damage ends with it. */
const REPAIR =
  'Stop Dockbell, keep a copy of the damaged file, restore your copy of dockbell.db, remove dockbell.db-wal and ' +
  'dockbell.db-shm, and start Dockbell again';

export function describeDamage(file: string, finding: string): AppError {
  return new AppError('storage_damaged', `${file} is damaged: ${finding}. ${REPAIR}`);
}

/**
 * Looks for damage with SQLite's `quick_check`, on a connection of its own: it reads the whole file and must not fill the
 * page cache of the storage.
 *
 * @returns the first finding; `null` for a whole file
 */
export function findDamage(file: string): string | null {
  const db = new Database(file, { readonly: true });
  try {
    const finding = db.pragma('quick_check(1)', { simple: true });
    return finding === 'ok' ? null : String(finding).replace(/^\*\*\*.*\n/, '');
  } catch (error) {
    const told = toStorageError(error);
    if (told instanceof AppError && told.code === 'storage_damaged') return told.message;
    throw told;
  } finally {
    db.close();
  }
}

export function isCheckedAtStart(file: string): boolean {
  return statSync(file).size <= MAX_CHECKED_AT_START_BYTES;
}

/** Checks a small file, and one of any size in which damage was found before. Throws `storage_damaged`. */
export function checkAtStart(file: string): void {
  if (!existsSync(markOf(file)) && !isCheckedAtStart(file)) return;
  const finding = findDamage(file);
  if (finding !== null) throw describeDamage(file, finding);
  rmSync(markOf(file), { force: true });
}

/** Remembers damage, so that the next start checks the file before it serves, however large it is. */
export function markDamaged(file: string, finding: string): void {
  const descriptor = openSync(markOf(file), 'w', 0o600);
  try {
    writeSync(descriptor, `${finding}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function markOf(file: string): string {
  return `${file}.damaged`;
}
