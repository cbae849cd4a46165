import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError } from '../../../domain/errors.ts';
import { toStorageError } from './storage-error.ts';

/** Files up to this size are checked at startup, within a second on a slow disk. Larger files are checked later. */
const MAX_CHECKED_AT_START_BYTES = 128 * 1024 * 1024;

/** Ends every message about damage. */
const REPAIR =
  'Stop Dockbell, move the data directory away, restore a backup with "dockbell restore FILE --data-dir DIR", and start ' +
  'Dockbell again';

export function describeDamage(file: string, finding: string): AppError {
  return new AppError('storage_damaged', `${file} is damaged: ${finding}. ${REPAIR}`);
}

/**
 * Looks for damage with SQLite's `quick_check`. Uses a separate connection, because reading the complete file would
 * fill the page cache of the storage.
 *
 * @returns the first finding; `null` for an undamaged file
 */
export function findDamage(file: string): string | null {
  const db = new Database(file, { readonly: true });
  try {
    const finding = db.pragma('quick_check(1)', { simple: true });
    return finding === 'ok' ? null : String(finding).replace(/^\*\*\*.*\n/, '');
  } catch (error) {
    const translated = toStorageError(error);
    if (translated instanceof AppError && translated.code === 'storage_damaged') return translated.message;
    throw translated;
  } finally {
    db.close();
  }
}

export function isCheckedAtStart(file: string): boolean {
  return statSync(file).size <= MAX_CHECKED_AT_START_BYTES;
}

/** Checks a small file, and a file of any size if damage was found before. Throws `storage_damaged`. */
export function checkAtStart(file: string): void {
  if (!existsSync(damageMarkerOf(file)) && !isCheckedAtStart(file)) return;
  const finding = findDamage(file);
  if (finding !== null) throw describeDamage(file, finding);
  rmSync(damageMarkerOf(file), { force: true });
}

/** Creates a marker file, so that the next start checks the database regardless of its size. */
export function markDamaged(file: string, finding: string): void {
  const descriptor = openSync(damageMarkerOf(file), 'w', 0o600);
  try {
    writeSync(descriptor, `${finding}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function damageMarkerOf(file: string): string {
  return `${file}.damaged`;
}
