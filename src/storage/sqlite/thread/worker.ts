import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../../core/errors.ts';
import { openMeasures } from '../../../core/write-measures.ts';
import { copyError, type Reply } from '../../../threads/pending-calls.ts';
import type { RequestMessage } from '../../../threads/worker-calls.ts';
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
import { openSqliteStorage, type SqliteFile, type SqliteStorage } from '../sqlite-storage.ts';

/**
 * The storage thread. It completes one operation before it starts the next, because transactions of the query builder
 * await and share one connection. Batches of deliveries have priority.
 */
const main = parentPort!;
const report = (message: StorageReport) => main.postMessage(message);

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

/** A request and the thread that waits for its reply. */
interface Waiting {
  message: RequestMessage<StorageRequest>;
  client: MessagePort;
}

function serve(storage: SqliteStorage): void {
  const checkpointer = storage.startCheckpoints(CHECKPOINT_WORKER);
  const batches: Waiting[] = [];
  const others: Waiting[] = [];
  const connected = new Set<MessagePort>();
  /** Set when the content of the disk is unknown. All later operations fail (threat model D3). */
  let broken: AppError | null = null;
  let closing = false;
  let draining = false;

  main.on('message', (message: RequestMessage<StorageRequest> | ConnectMessage | typeof CLOSE) => {
    if (message === CLOSE) closing = true;
    else if ('connect' in message) connect(message.connect);
    else enqueue(message, main);
    if (!draining) void drain();
  });

  function connect(client: MessagePort): void {
    connected.add(client);
    client.on('close', () => connected.delete(client));
    client.on('message', (message: RequestMessage<StorageRequest>) => {
      enqueue(message, client);
      if (!draining) void drain();
    });
  }

  function enqueue(message: RequestMessage<StorageRequest>, client: MessagePort): void {
    (message.request.port === 'deliveryLog' ? batches : others).push({ message, client });
  }

  async function drain(): Promise<void> {
    draining = true;
    while (batches.length + others.length > 0) {
      // Messages arrive only between turns of the event loop. Without this wait, a batch could not go before a read.
      if (batches.length === 0) await new Promise(setImmediate);
      await answer((batches.shift() ?? others.shift())!);
      checkpoint();
    }
    draining = false;
    if (closing) await close();
  }

  async function answer({ message: { id, request }, client }: Waiting): Promise<void> {
    const reply = (message: Reply) => client.postMessage(message);
    try {
      if (broken !== null) throw broken;
      reply({ id, value: await performRequest(storage, request) });
    } catch (error) {
      if (isBreaking(error)) noteBroken(error);
      if (error instanceof AppError && error.code === 'storage_damaged') recordDamage(error);
      reply({ id, error: copyError(error) });
    }
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
    await checkpointer.close();
    storage.close();
    for (const client of connected) client.close();
    main.close();
  }
}
