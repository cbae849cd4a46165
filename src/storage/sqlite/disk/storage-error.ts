import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError, messageOf, systemErrorCode } from '../../../domain/errors.ts';

/** Transient failures: nothing was written, and the same call may succeed later. */
const TRANSIENT = /^SQLITE_(FULL|BUSY|LOCKED|NOMEM|INTERRUPT)/;

/** The content of the disk is unknown, so nothing more may be acknowledged (threat model D3). */
const BROKEN = /^SQLITE_(IOERR|READONLY|CANTOPEN|PROTOCOL)/;

/** The content of the disk is wrong and remains wrong. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/** Also reported for a disk without space, and always for an exceeded quota. */
const MAY_BE_FULL: ReadonlySet<string> = new Set(['SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE']);
const PROBE_BYTES = 64 * 1024;

/**
 * SQLite knows only ENOSPC as a full disk: an exceeded quota (EDQUOT) is an I/O error, and its cause is not available. Such a
 * failed write is harmless, because it is rolled back. So a write next to the database shows whether space is missing. Call it
 * once for each error of an open database, before the others. Returns all other errors unchanged.
 *
 * @param file the database
 */
export function unmaskFullDisk(error: unknown, file: string): unknown {
  if (!(error instanceof Database.SqliteError) || !MAY_BE_FULL.has(error.code)) return error;
  return hasRoom(`${file}.probe`) ? error : new Database.SqliteError(messageOf(error), 'SQLITE_FULL');
}

/** Random bytes, because a file system may compress zeros or omit them. */
function hasRoom(probe: string): boolean {
  try {
    writeFileSync(probe, randomBytes(PROBE_BYTES), { mode: 0o600 });
    return true;
  } catch (error) {
    return !['ENOSPC', 'EDQUOT'].includes(systemErrorCode(error) ?? '');
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Is the disk full? */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_FULL';
}

/**
 * May opening have failed because the disk is full? A probe would be useless: the failed opening has already closed its files
 * and returned their space.
 */
export function isNoSpaceToOpen(error: unknown): boolean {
  return isDiskFull(error) || (error instanceof Database.SqliteError && MAY_BE_FULL.has(error.code));
}

/** Translates an error of SQLite to the code that callers decide on. Other errors are returned unchanged. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const text = `${error.code}: ${messageOf(error)}`;
  if (TRANSIENT.test(error.code)) return new AppError('storage_unavailable', text, { cause: error });
  if (BROKEN.test(error.code)) return new AppError('storage_broken', text, { cause: error });
  if (DAMAGED.test(error.code)) return new AppError('storage_damaged', text, { cause: error });
  return new AppError('internal', text, { cause: error });
}

/** After these errors the storage cannot guarantee anything, and the daemon has to stop. */
export function isBreaking(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'storage_broken' || error.code === 'storage_damaged');
}

/** Is this an I/O error? While the database is opened it is transient: nothing was acknowledged yet. */
export function isInputOutputError(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_IOERR');
}
