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
 * The storage thread. It completes one operation before it starts the next, because transactions of the query builder
 * await and share one connection. Batches of deliveries have priority.
 */
const port = parentPort!;
const post = (message: Reply | OpenReport) => port.postMessage(message);

const storage = open();
if (storage !== null) serve(storage);

/** Reports a failure and returns `null`. The thread then exits, because it has no listeners. */
function open(): SqliteStorage | null {
  try {
    const { file } = workerData as WorkerSettings;
    const warnings: string[] = [];
    const opened = openSqliteStorage(file, createSpaceGuard(file), (message) => warnings.push(message));
    try {
      checkAtStart(file);
      opened.load();
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
  /** Set when the content of the disk is unknown. All later operations fail (threat model D3). */
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
      // Messages arrive only between turns of the event loop. Without this wait, a batch could not go before a read.
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
      if (error instanceof AppError && error.code === 'storage_damaged') recordDamage(error);
      post({ id, error: copyError(error) });
    }
  }

  /** Without the marker, the next start could serve until it reads the damaged page again. */
  function recordDamage(error: AppError): void {
    try {
      markDamaged((workerData as WorkerSettings).file, error.message);
    } catch {
      // The disk itself fails. The daemon exits and has already logged the damage.
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
