import { Worker } from 'node:worker_threads';
import type { DeliveryLogEntry } from '../../../core/delivery.ts';
import { AppError } from '../../../core/errors.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { isBreaking } from '../disk/storage-error.ts';
import { CLOSE, OPERATIONS, type PortName, type StorageReply, type WorkerSettings } from './worker-protocol.ts';

/** A storage in a thread of its own, so that the HTTP thread never waits for a disk. */
export interface StorageThread {
  storage: Storage;
  /** Sentences about the file that an operator should know. */
  warnings: readonly string[];
  /** Resolves with the reason when the storage can promise nothing any more: stop accepting and exit (threat model D3). */
  broken: Promise<AppError>;
  /** Finishes what was asked, checkpoints, closes the file. */
  close(): Promise<void>;
}

/**
 * Opens the database file in a worker thread. Rejects with the worker's own error where it cannot be opened.
 *
 * @param workerUrl the built `worker.js`
 */
export async function startStorage(workerUrl: URL, settings: WorkerSettings): Promise<StorageThread> {
  const worker = new Worker(workerUrl, { workerData: settings });
  const calls = new PendingCalls(worker);
  const warnings = await calls.opened;
  return {
    warnings,
    storage: createClient(calls),
    broken: calls.broken,
    close: async () => {
      worker.postMessage(CLOSE);
      await calls.exited;
    },
  };
}

interface Call {
  resolve(value: unknown): void;
  reject(error: AppError): void;
}

/** Matches replies to requests, and fails what is open when the thread ends. */
class PendingCalls {
  readonly opened: Promise<string[]>;
  readonly broken: Promise<AppError>;
  readonly exited: Promise<void>;
  readonly #worker: Worker;
  readonly #open = new Map<number, Call>();
  #lastId = 0;
  #markOpened!: Call;
  #markBroken!: (error: AppError) => void;
  #ended: AppError | null = null;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.opened = new Promise((resolve, reject) => {
      this.#markOpened = { resolve: resolve as (value: unknown) => void, reject };
    });
    this.broken = new Promise((resolve) => {
      this.#markBroken = resolve;
    });
    this.exited = new Promise((resolve) => {
      worker.once('exit', () => {
        this.#fail(new AppError('storage_unavailable', 'the storage thread has ended'));
        resolve();
      });
    });
    worker.on('message', (reply: StorageReply) => this.#settle(reply));
    worker.on('error', (error) => this.#fail(new AppError('storage_broken', error.message, { cause: error })));
  }

  send(port: PortName, operation: string, args: unknown[], transfer: ArrayBuffer[] = []): Promise<unknown> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#worker.postMessage({ id, port, operation, args }, transfer);
    });
  }

  #settle(reply: StorageReply): void {
    if (reply.kind === 'opened') this.#markOpened.resolve(reply.warnings);
    else if (reply.kind === 'result') this.#take(reply.id)?.resolve(reply.value);
    else this.#refuse(reply);
  }

  #refuse(reply: Extract<StorageReply, { kind: 'error' }>): void {
    const error = new AppError(reply.code, reply.message, { details: reply.details });
    if (reply.id === null) this.#markOpened.reject(error);
    else this.#take(reply.id)?.reject(error);
    if (isBreaking(error)) this.#markBroken(error);
  }

  #take(id: number): Call | undefined {
    const call = this.#open.get(id);
    this.#open.delete(id);
    return call;
  }

  #fail(error: AppError): void {
    this.#ended = error;
    this.#markOpened.reject(error);
    if (isBreaking(error)) this.#markBroken(error);
    for (const call of this.#open.values()) call.reject(error);
    this.#open.clear();
  }
}

function createClient(calls: PendingCalls): Storage {
  const client: Record<string, Record<string, unknown>> = {};
  for (const [port, operations] of Object.entries(OPERATIONS) as [PortName, readonly string[]][]) {
    client[port] = {};
    for (const operation of operations) {
      client[port][operation] = (...args: unknown[]) => calls.send(port, operation, args);
    }
  }
  // Payloads change threads without a copy.
  client.deliveryLog!.record = (batch: DeliveryLogEntry[]) =>
    calls.send('deliveryLog', 'record', [batch], collectBodies(batch));
  return client as unknown as Storage;
}

function collectBodies(batch: readonly DeliveryLogEntry[]): ArrayBuffer[] {
  const bodies: ArrayBuffer[] = [];
  for (const entry of batch)
    if (entry.kind !== 'rejection' && entry.body.byteLength > 0) bodies.push(entry.body.buffer);
  return bodies;
}
