import Database from 'better-sqlite3';
import { AppError, messageOf } from '../../../core/errors.ts';

/** Refused but sound: nothing was written, the same call may succeed later. */
const PASSING = /^SQLITE_(FULL|BUSY|LOCKED|NOMEM|INTERRUPT)/;

/** What is on disk is unknown: no further acknowledgement may leave (threat model D3). */
const BROKEN = /^SQLITE_(IOERR|READONLY|CANTOPEN|PROTOCOL)/;

/** What is on disk is wrong, and stays so. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/** Did SQLite find no room for what it had to write? */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_FULL';
}

/** Did opening fail for want of space? The index of the write-ahead log has an error of its own for it. */
export function isNoSpaceToOpen(error: unknown): boolean {
  return isDiskFull(error) || (error instanceof Database.SqliteError && error.code === 'SQLITE_IOERR_SHMSIZE');
}

/** Gives a failure of SQLite the code that callers decide on; whatever is not SQLite's own passes through. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const text = `${error.code}: ${messageOf(error)}`;
  if (PASSING.test(error.code)) return new AppError('storage_unavailable', text, { cause: error });
  if (BROKEN.test(error.code)) return new AppError('storage_broken', text, { cause: error });
  if (DAMAGED.test(error.code)) return new AppError('storage_damaged', text, { cause: error });
  return new AppError('internal', text, { cause: error });
}

/** After these the storage promises nothing any more. */
export function isBreaking(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'storage_broken' || error.code === 'storage_damaged');
}

/** Did an I/O error keep the database from being opened? Nothing was promised yet, and another start may succeed. */
export function isInputOutputError(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_IOERR');
}
