import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../../domain/errors.ts';
import { openMeasures } from '../../../domain/telemetry/write-measures.ts';
import { copyError, type Reply } from '../../../platform/threads/pending-calls.ts';
import type { RequestMessage } from '../../../platform/threads/worker-calls.ts';
import { performRequest } from '../../thread/perform-request.ts';
import {
  CLOSE,
  type ConnectMessage,
  type StorageReport,
  type StorageRequest,
  type WorkerSettings,
} from '../../thread/worker-protocol.ts';
import { checkAtStart, markDamaged } from '../disk/check-database.ts';
import type { Migration } from '../disk/open-database.ts';
import { createSpaceGuard } from '../disk/space-guard.ts';
import { isBreaking } from '../disk/storage-error.ts';
import { isBusy } from '../disk/write-lock.ts';
import { openSqliteStorage, type SqliteFile, type SqliteStorage } from '../sqlite-storage.ts';
import { type Performable, RequestQueue, type Waiting } from './request-queue.ts';

/**
 * The storage thread. It completes one operation before it starts the next, because transactions of the query builder
 * await and share one connection. Batches of deliveries have priority. While another process holds the write lock of the
 * database, reads go on, and everything else waits.
 */
const main = parentPort!;
const report = (message: StorageReport) => main.postMessage(message);

const LOCKED = new AppError('storage_unavailable', 'another process has locked the database: nothing was changed');

/** Next to this file, both as an entry point of the build. */
const CHECKPOINT_WORKER = new URL('../checkpoints/checkpoint-worker.js', import.meta.url);

const storage = open();
if (storage !== null) serve(storage);

/** Reports a failure and returns `null`. The thread then exits, because it has no listeners. */
function open(): SqliteStorage | null {
  try {
    const { file, measures } = workerData as WorkerSettings<SqliteFile>;
    const warnings: string[] = [];
    const migrations: Migration[] = [];
    const happened = {
      warn: (message: string) => warnings.push(message),
      migrated: (migration: Migration) => migrations.push(migration),
    };
    const opened = openSqliteStorage(file, createSpaceGuard(file), happened, openMeasures(measures));
    try {
      checkAtStart(file);
      opened.load();
    } catch (error) {
      opened.close();
      throw error;
    }
    report({ warnings, migration: migrations[0] ?? null });
    return opened;
  } catch (error) {
    report({ openError: copyError(error) });
    return null;
  }
}

/** A short lock of another program has ended by the next attempt. */
const LOCK_POLL_MS = 20;
/** Without requests that write, a lock is noticed after this time. */
const LOCK_LOOK_MS = 2_000;
/** A request that needs the write lock fails after this time. SQLite has the same default. */
const LOCK_PATIENCE_MS = 5_000;

function serve(storage: SqliteStorage): void {
  const checkpointer = storage.startCheckpoints(CHECKPOINT_WORKER);
  const lock = storage.watchLock();
  const queue = new RequestQueue();
  const connected = new Set<MessagePort>();
  /** Set when the content of the disk is unknown. All later operations fail (threat model D3). */
  let broken: AppError | null = null;
  let closing = false;
  let draining = false;
  let isLockReported = false;
  /** Ends the wait for the lock. */
  let wake = () => {};
  const looking = setInterval(lookForLock, LOCK_LOOK_MS);

  main.on('message', (message: RequestMessage<StorageRequest> | ConnectMessage | typeof CLOSE) => {
    if (message === CLOSE) closing = true;
    else if ('connect' in message) connect(message.connect);
    else queue.add({ message, client: main, lockedSince: null });
    proceed();
  });

  function connect(client: MessagePort): void {
    connected.add(client);
    client.on('close', () => connected.delete(client));
    client.on('message', (message: RequestMessage<StorageRequest>) => {
      queue.add({ message, client, lockedSince: null });
      proceed();
    });
  }

  function proceed(): void {
    wake();
    if (!draining) void drain();
  }

  async function drain(): Promise<void> {
    draining = true;
    while (queue.size > 0 || (lock.isHeld && !closing)) {
      // Messages arrive only between turns of the event loop. Without this wait, a batch could not go before a read.
      if (!queue.hasBatch || lock.isHeld) await new Promise(setImmediate);
      if (lock.isHeld) followLock();
      const next = queue.take(listPerformable());
      if (next === undefined) await waitForLock();
      else {
        await answer(next);
        checkpoint();
      }
    }
    draining = false;
    if (closing) await close();
  }

  function listPerformable(): Performable {
    if (!lock.isHeld) return 'all';
    return lock.isNoted ? 'reads' : 'unlocked reads';
  }

  function lookForLock(): void {
    if (draining) return;
    lock.probe();
    if (lock.isHeld) proceed();
  }

  /** Until the lock may be free, or a request arrives. */
  function waitForLock(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOCK_POLL_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function followLock(): void {
    lock.probe();
    if (lock.isNoted !== isLockReported) {
      isLockReported = lock.isNoted;
      report({ locked: isLockReported });
    }
    const now = performance.now();
    for (const waiting of queue.takeLocked(now, now - LOCK_PATIENCE_MS)) fail(waiting, LOCKED);
  }

  async function answer(waiting: Waiting): Promise<void> {
    const { message, client } = waiting;
    const changes = lock.countChanges();
    try {
      if (broken !== null) throw broken;
      const reply: Reply = { id: message.id, value: await performRequest(storage, message.request) };
      client.postMessage(reply);
    } catch (error) {
      // A part that is stored must not be stored twice.
      const isRepeated = isBusy(error) && lock.countChanges() === changes && !lock.isNoted;
      if (isRepeated) repeatUnlocked(waiting);
      else fail(waiting, error);
    }
  }

  function repeatUnlocked(waiting: Waiting): void {
    lock.found();
    waiting.lockedSince ??= performance.now();
    queue.putBack(waiting);
  }

  function fail({ message: { id }, client }: Waiting, error: unknown): void {
    if (isBreaking(error)) noteBroken(error);
    if (error instanceof AppError && error.code === 'storage_damaged') recordDamage(error);
    client.postMessage({ id, error: copyError(error) } satisfies Reply);
  }

  /** The thread that serves deliveries learns it even if another thread made the request. */
  function noteBroken(error: AppError): void {
    if (broken === null) report({ broken: copyError(error) });
    broken ??= error;
  }

  function checkpoint(): void {
    try {
      if (broken === null) checkpointer.step();
    } catch (error) {
      if (isBreaking(error)) noteBroken(error);
    }
  }

  /** Without the marker, the next start could serve until it reads the damaged page again. */
  function recordDamage(error: AppError): void {
    try {
      markDamaged((workerData as WorkerSettings<SqliteFile>).file, error.message);
    } catch {
      // The disk itself fails. The daemon exits and has already logged the damage.
    }
  }

  async function close(): Promise<void> {
    clearInterval(looking);
    await checkpointer.close();
    storage.close();
    for (const client of connected) client.close();
    main.close();
  }
}
