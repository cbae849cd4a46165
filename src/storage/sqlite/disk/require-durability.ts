import type Database from 'better-sqlite3';
import { AppError } from '../../../domain/errors.ts';

/** The value of `PRAGMA synchronous` for FULL. */
const SYNCHRONOUS_FULL = 2;

/** Reads the settings back. Throws `storage_broken` if commits of this connection are not durable. */
export function requireDurability(db: Database.Database, file: string): void {
  const synchronous = db.pragma('synchronous', { simple: true });
  const journal = db.pragma('journal_mode', { simple: true });
  if (synchronous === SYNCHRONOUS_FULL && journal === 'wal') return;
  throw new AppError(
    'storage_broken',
    `commits to ${file} are not durable (journal_mode ${journal}, synchronous ${synchronous}; required: wal, 2): ` +
      'move the data directory to a local file system that supports SQLite in WAL mode',
  );
}
