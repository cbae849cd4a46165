import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';

/** What a database takes of the disk, in bytes. */
export interface DatabaseUse {
  /** The file, once everything that was committed is in it. */
  fileBytes: number;
  /** Pages inside the file that hold nothing: room for rows, although the file does not get smaller. */
  freePageBytes: number;
  /** By how much the file grows when the write-ahead log is written back. */
  pendingBytes: number;
  /** The write-ahead log as it is on disk, whether written back or not. */
  walBytes: number;
}

/** The space that a database takes, and what can be done about it. */
export interface DatabaseSpace {
  measure(): DatabaseUse;
  /** Writes the write-ahead log back into the file and empties it. Throws as SQLite does. */
  writeBack(): void;
  /** The log is written back when it has grown to this size. */
  limitWal(bytes: number): void;
  /** `false` for a file made before Dockbell 0.2 that could not be rebuilt: its free pages stay in it. */
  canShrink: boolean;
  pageBytes: number;
  /** Takes free pages out of the file; it gets smaller at the next `writeBack`. Throws as SQLite does. */
  releasePages(count: number): void;
}

const INCREMENTAL = 2;

export function watchDatabaseSpace(db: Database.Database): DatabaseSpace {
  const read = (name: string) => db.pragma(name, { simple: true }) as number;
  const pageBytes = read('page_size');
  return {
    measure: () => {
      const fileBytes = read('page_count') * pageBytes;
      return {
        fileBytes,
        freePageBytes: read('freelist_count') * pageBytes,
        pendingBytes: Math.max(0, fileBytes - sizeOf(db.name)),
        walBytes: sizeOf(`${db.name}-wal`),
      };
    },
    // A reader of another connection is not waited for: what it still needs stays in the log until the next time.
    writeBack: () => withoutWaiting(db, () => db.pragma('wal_checkpoint(TRUNCATE)')),
    limitWal: (bytes) => limitWal(db, bytes),
    canShrink: read('auto_vacuum') === INCREMENTAL,
    pageBytes,
    releasePages: (count) => void db.pragma(`incremental_vacuum(${count})`),
  };
}

/** The log is written back at this size, and a larger one is cut to it. */
export function limitWal(db: Database.Database, bytes: number): void {
  db.pragma(`wal_autocheckpoint = ${bytes / (db.pragma('page_size', { simple: true }) as number)}`);
  db.pragma(`journal_size_limit = ${bytes}`);
}

function withoutWaiting(db: Database.Database, work: () => void): void {
  const timeoutMs = db.pragma('busy_timeout', { simple: true }) as number;
  db.pragma('busy_timeout = 0');
  try {
    work();
  } finally {
    db.pragma(`busy_timeout = ${timeoutMs}`);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
