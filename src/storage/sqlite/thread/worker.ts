import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../../core/errors.ts';
import { copyError, type Reply } from '../../../threads/pending-calls.ts';
import type { RequestMessage } from '../../../threads/worker-calls.ts';
import { checkAtStart, markDamaged } from '../disk/check-database.ts';
import { createSpaceGuard } from '../disk/space-guard.ts';
import { isBreaking } from '../disk/storage-error.ts';
import { openSqliteStorage, type SqliteStorage } from '../sqlite-storage.ts';
import { CLOSE, type OpenReport, type StorageRequest, type WorkerSettings } from './worker-protocol.ts';

/**
 * The storage thread. Operations run one after another, each to its end, so that a transaction of the query builder
 * (which awaits) can never mix with another operation on the one connection. Batches of deliveries go first.
 */
const port = parentPort!;
const post = (message: Reply | OpenReport) => port.postMessage(message);

const storage = open();
if (storage !== null) serve(storage);

/** `null` where it cannot be opened: that is told, and a thread that listens to nothing ends by itself. */
function open(): SqliteStorage | null {
  try {
    const { file } = workerData as WorkerSettings;
    const warnings: string[] = [];
    const opened = openSqliteStorage(file, createSpaceGuard(file), (message) => warnings.push(message));
    try {
      checkAtStart(file);
    } catch (error) {
      opened.close();
      throw error;
    }
    post({ warnings });
    return opened;
  } catch (error) {
    post({ openError: copyError(error) });
    return null;
  }
}

function serve(storage: SqliteStorage): void {
  const batches: RequestMessage<StorageRequest>[] = [];
  const others: RequestMessage<StorageRequest>[] = [];
  /** Once it is unknown what is on disk, no operation may claim anything any more (threat model D3). */
  let broken: AppError | null = null;
  let closing = false;
  let draining = false;

  port.on('message', (message: RequestMessage<StorageRequest> | typeof CLOSE) => {
    if (message === CLOSE) closing = true;
    else (message.request.port === 'deliveryLog' ? batches : others).push(message);
    if (!draining) void drain();
  });

  async function drain(): Promise<void> {
    draining = true;
    while (batches.length + others.length > 0) {
      // Messages come in only between two turns of the event loop: without one, no batch could overtake a read.
      if (batches.length === 0) await new Promise(setImmediate);
      await answer((batches.shift() ?? others.shift())!);
    }
    draining = false;
    if (closing) close();
  }

  async function answer({ id, request }: RequestMessage<StorageRequest>): Promise<void> {
    try {
      if (broken !== null) throw broken;
      post({ id, value: await perform(storage, request) });
    } catch (error) {
      if (isBreaking(error)) broken = error;
      if (error instanceof AppError && error.code === 'storage_damaged') noteDamage(error);
      post({ id, error: copyError(error) });
    }
  }

  /** A start that does not find it would serve until the same page is read again. */
  function noteDamage(error: AppError): void {
    try {
      markDamaged((workerData as WorkerSettings).file, error.message);
    } catch {
      // The disk is what is failing. The daemon ends with the damage in its log.
    }
  }

  function close(): void {
    storage.close();
    port.close();
  }
}

function perform(storage: SqliteStorage, { port: name, operation, args }: StorageRequest): Promise<unknown> {
  const operations = storage[name] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  return operations[operation]!(...args);
}
