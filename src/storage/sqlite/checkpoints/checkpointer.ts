import { Worker } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { AppError } from '../../../domain/errors.ts';
import { type ThreadEnd, WorkerCalls } from '../../../platform/threads/worker-calls.ts';
import { isBreaking, toStorageError, unmaskFullDisk } from '../disk/storage-error.ts';

/** Size of the write-ahead log at which a checkpoint starts: 4 MiB. A larger log makes the last part of it slower. */
const START_PAGES = 1024;
/** The writer copies at most this number of pages, which takes about as long as a commit. */
const MAX_TAIL_PAGES = 256;
/** Under load, the log grows while the thread copies. After this number of copies, the writer copies the rest. */
const MAX_COPIES = 4;
/** A thread that ended is started again, but not without end. */
const MAX_STARTS = 5;

/** The thread has nearly no objects. */
const RESOURCES = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 };

/**
 * Keeps the write-ahead log short without stopping the writer for long. A checkpoint during a commit would stop it for
 * many milliseconds. A checkpoint in another thread alone never finishes under load, because new pages arrive all the time,
 * and the log grows without limit. So a thread copies most pages, and the writer copies the last ones between two batches.
 *
 * Without the thread, SQLite checkpoints during a commit when the log has `WAL_BYTES`. The log is complete until a
 * checkpoint is, so a thread that ends at any point loses nothing.
 */
export class Checkpointer {
  readonly #db: Database.Database;
  readonly #workerUrl: URL;
  readonly #readState: Database.Statement<[], { log: number; checkpointed: number }>;
  #thread: WorkerCalls<'copy'> | null = null;
  #starts = 0;
  #isCopying = false;
  /** Number of copies of the current checkpoint. */
  #copies = 0;
  /** Pages that a reader on another connection kept in the log. */
  #heldPages = 0;
  #failure: AppError | null = null;

  /** @param workerUrl the built `checkpoint-worker.js` */
  constructor(db: Database.Database, workerUrl: URL) {
    this.#db = db;
    this.#workerUrl = workerUrl;
    this.#readState = db.prepare('PRAGMA wal_checkpoint(NOOP)');
  }

  /**
   * Call it after each operation. It does nothing inside a transaction.
   *
   * Throws `storage_broken` or `storage_damaged` if a checkpoint failed: the state of the file is unknown.
   */
  step(): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#isCopying || this.#db.inTransaction) return;
    const pages = this.#countPages();
    if (this.#copies > 0) {
      if (pages <= MAX_TAIL_PAGES || this.#copies === MAX_COPIES) this.#finish();
      else this.#copy();
    } else if (pages >= this.#heldPages + START_PAGES) this.#copy();
  }

  /** Ends the thread. Its connection is closed afterwards. */
  async close(): Promise<void> {
    this.#starts = MAX_STARTS;
    this.#thread?.post(null);
    await this.#thread?.exited;
  }

  /** Pages in the log that are not in the file. */
  #countPages(): number {
    const { log, checkpointed } = this.#readState.get()!;
    return log - checkpointed;
  }

  #copy(): void {
    const thread = this.#start();
    if (thread === null) return;
    this.#isCopying = true;
    void thread.call('copy').then(
      () => this.#onCopied(null),
      (error: AppError) => this.#onCopied(error),
    );
  }

  #onCopied(error: AppError | null): void {
    this.#isCopying = false;
    if (error === null) this.#copies += 1;
    else if (isBreaking(error)) this.#failure = error;
    if (this.#copies === 0) return;
    try {
      this.step();
    } catch {
      // The next step throws the failure.
    }
  }

  #finish(): void {
    this.#copies = 0;
    try {
      this.#db.pragma('wal_checkpoint(PASSIVE)');
    } catch (error) {
      const translated = toStorageError(unmaskFullDisk(error, this.#db.name));
      if (isBreaking(translated)) this.#failure = translated;
    }
    this.#heldPages = this.#countPages();
    if (this.#failure !== null) throw this.#failure;
  }

  /** `null` if the thread ended too often. */
  #start(): WorkerCalls<'copy'> | null {
    if (this.#thread !== null && !this.#thread.hasEnded) return this.#thread;
    if (this.#starts >= MAX_STARTS) return null;
    this.#starts += 1;
    const worker = new Worker(this.#workerUrl, { workerData: this.#db.name, resourceLimits: RESOURCES });
    this.#thread = new WorkerCalls(worker, { describeEnd });
    return this.#thread;
  }
}

/** Not a breaking error: the log is intact. */
function describeEnd(end: ThreadEnd): AppError {
  const reason = 'error' in end ? end.error.message : `exit code ${end.exitCode}`;
  return new AppError('storage_unavailable', `the checkpoint thread ended: ${reason}`);
}
