import { AppError } from '../../domain/errors.ts';
import { requireOwnDatabase } from '../../platform/data-dir/require-database.ts';
import { type CopySource, openCopySource } from '../../storage/copy/copy-source.ts';
import { copyTables } from '../../storage/copy/copy-tables.ts';
import { type CopyTarget, finishCopy, openCopyTarget } from '../../storage/copy/copy-target.ts';
import { type VerifiedTable, verifyTables } from '../../storage/copy/verify-tables.ts';
import { lockDataDir } from '../../storage/data-dir-lock.ts';
import { holdDaemonLock } from '../../storage/postgres/daemon-lock.ts';
import { withoutPassword } from '../../storage/postgres/describe-url.ts';
import { toStorageError } from '../../storage/postgres/storage-error.ts';
import { toStorageError as toSqliteError } from '../../storage/sqlite/disk/storage-error.ts';

export interface CopyRequest {
  dataDir: string;
  /** The SQLite file in the data directory. */
  file: string;
  /** URL of the database of PostgreSQL. */
  url: string;
  /** Discard an unfinished copy in the target? */
  restart: boolean;
  /** Stops the copy after a batch. */
  signal: AbortSignal;
  onProgress(phase: 'copying' | 'verifying', doneRows: number, totalRows: number): void;
}

export interface CopyReport {
  /** The URL of the target without its password. */
  target: string;
  tables: readonly VerifiedTable[];
  /** Have all tables the same content? Otherwise no daemon can start with the target. */
  isVerified: boolean;
}

/**
 * Copies the data of a stopped daemon to PostgreSQL, and compares both databases. An attempt that was interrupted continues
 * with the next one. No daemon can start with either database meanwhile.
 *
 * Throws `data_dir_locked` while a daemon uses the source or the target, `storage_unavailable` if PostgreSQL fails,
 * `shutting_down` if the signal aborted it, and what `openCopySource` and `openCopyTarget` throw.
 */
export async function copyStorage(request: CopyRequest): Promise<CopyReport> {
  requireOwnDatabase(request.file, request.dataDir);
  process.umask(0o077);
  const lock = lockDataDir(request.dataDir);
  try {
    const source = openCopySource(request.file);
    try {
      return await copyToLocked(source, request);
    } finally {
      source.close();
    }
  } catch (error) {
    throw toStorageError(toSqliteError(error));
  } finally {
    lock.release();
  }
}

async function copyToLocked(source: CopySource, request: CopyRequest): Promise<CopyReport> {
  const taken = new AbortController();
  const lock = await holdDaemonLock(request.url, (error) => taken.abort(error));
  try {
    const target = await openCopyTarget(request.url, source.identity, request.restart);
    try {
      return await copyAndVerify(source, target, {
        ...request,
        signal: AbortSignal.any([request.signal, taken.signal]),
      });
    } finally {
      await target.pool.end();
    }
  } finally {
    await lock.release();
  }
}

async function copyAndVerify(source: CopySource, target: CopyTarget, request: CopyRequest): Promise<CopyReport> {
  const totalRows = source.tables.reduce((sum, table) => sum + source.count(table), 0);
  await copyTables(source, target, countRows('copying', totalRows, request));
  const tables = await verifyTables(source, target.pool, countRows('verifying', totalRows, request));
  const isVerified = tables.every(({ isEqual }) => isEqual);
  if (isVerified) await finishCopy(target);
  return { target: withoutPassword(request.url), tables, isVerified };
}

function countRows(
  phase: 'copying' | 'verifying',
  totalRows: number,
  { signal, onProgress }: Pick<CopyRequest, 'signal' | 'onProgress'>,
): (rows: number) => void {
  let doneRows = 0;
  return (rows) => {
    if (signal.aborted) throw explainAbort(signal.reason);
    doneRows += rows;
    onProgress(phase, doneRows, totalRows);
  };
}

function explainAbort(reason: unknown): AppError {
  return reason instanceof AppError ? reason : new AppError('shutting_down', 'the copy was interrupted');
}
