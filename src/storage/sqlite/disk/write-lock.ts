import Database from 'better-sqlite3';
import { AppError } from '../../../domain/errors.ts';

/** Other programs that write keep the lock for less. Longer than this, readers do not wait for it and the daemon reports it. */
const NOTED_AFTER_MS = 500;

/**
 * The write lock of a database, which another process can hold for any time. SQLite would wait for it inside a statement,
 * and every other operation of the thread with it. So statements fail immediately, and the thread repeats them.
 */
export class WriteLock {
  readonly #db: Database.Database;
  readonly #monotonicMs: () => number;
  readonly #changes: Database.Statement<[], number>;
  #heldSince: number | null = null;

  constructor(db: Database.Database, monotonicMs: () => number = () => performance.now()) {
    this.#db = db;
    this.#monotonicMs = monotonicMs;
    this.#changes = db.prepare<[], number>('SELECT total_changes()').pluck();
  }

  /** From now on, no statement waits for the lock. */
  failFast(): void {
    this.#db.pragma('busy_timeout = 0');
  }

  /** Number of rows that this connection has changed. If an operation leaves it unchanged, the operation can be repeated. */
  countChanges(): number {
    return this.#changes.get()!;
  }

  /** Does another process hold the lock, as far as is known? */
  get isHeld(): boolean {
    return this.#heldSince !== null;
  }

  /** Has another process held it for longer than a short write takes? */
  get isNoted(): boolean {
    return this.#heldSince !== null && this.#monotonicMs() - this.#heldSince >= NOTED_AFTER_MS;
  }

  /** A statement failed because of the lock. */
  found(): void {
    this.#heldSince ??= this.#monotonicMs();
  }

  /** Takes the lock for a moment, outside a transaction, to learn whether it is free. The next operation meets other errors. */
  probe(): void {
    if (this.#isFree()) this.#heldSince = null;
    else this.found();
  }

  #isFree(): boolean {
    try {
      this.#db.exec('BEGIN IMMEDIATE; ROLLBACK');
      return true;
    } catch (error) {
      return !isBusy(error);
    }
  }
}

/** Did a statement fail because of the lock? Also recognizes the error of an operation. */
export function isBusy(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_BUSY');
}
