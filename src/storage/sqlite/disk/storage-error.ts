import Database from 'better-sqlite3';
import { AppError, messageOf } from '../../../core/errors.ts';

/** Transient failures: nothing was written, and the same call may succeed later. */
const TRANSIENT = /^SQLITE_(FULL|BUSY|LOCKED|NOMEM|INTERRUPT)/;

/** The content of the disk is unknown, so nothing more may be acknowledged (threat model D3). */
const BROKEN = /^SQLITE_(IOERR|READONLY|CANTOPEN|PROTOCOL)/;

/** The content of the disk is wrong and remains wrong. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/** Is the disk full? */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_FULL';
}

/** Did opening fail because the disk is full? The index of the write-ahead log has a separate error code for this. */
export function isNoSpaceToOpen(error: unknown): boolean {
  return isDiskFull(error) || (error instanceof Database.SqliteError && error.code === 'SQLITE_IOERR_SHMSIZE');
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
