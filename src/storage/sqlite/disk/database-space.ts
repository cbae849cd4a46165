import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';

/** Disk usage of a database, in bytes. */
export interface DatabaseUse {
  /** Size of the file after the next complete checkpoint. */
  fileBytes: number;
  /** Unused pages inside the file, which new rows can use. */
  freePageBytes: number;
  /** Growth of the file at the next checkpoint. */
  pendingBytes: number;
  /** Size of the write-ahead log on disk. A checkpoint alone does not reduce it. */
  walBytes: number;
}

/** Measures and reduces the disk usage of a database. */
export interface DatabaseSpace {
  measure(): DatabaseUse;
  /** Checkpoints the write-ahead log and truncates it. Throws the errors of SQLite. */
  writeBack(): void;
  /** Sets the size at which the log is checkpointed. */
  limitWal(bytes: number): void;
  /** `false` for a file that was created before Dockbell 0.2 and not rebuilt: its free pages remain in the file. */
  canShrink: boolean;
  pageBytes: number;
  /** Removes free pages. The file shrinks at the next `writeBack`. Throws the errors of SQLite. */
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
        pendingBytes: Math.max(0, fileBytes - sizeOfFile(db.name)),
        walBytes: sizeOfFile(`${db.name}-wal`),
      };
    },
    // Does not wait for readers on other connections. Pages that they need remain in the log until the next checkpoint.
    writeBack: () => withoutWaiting(db, () => db.pragma('wal_checkpoint(TRUNCATE)')),
    limitWal: (bytes) => limitWal(db, bytes),
    canShrink: read('auto_vacuum') === INCREMENTAL,
    pageBytes,
    releasePages: (count) => void db.pragma(`incremental_vacuum(${count})`),
  };
}

/** The log is checkpointed at this size, and a larger log is truncated to it. */
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

/** Returns the size in bytes; 0 if the file does not exist. */
export function sizeOfFile(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
