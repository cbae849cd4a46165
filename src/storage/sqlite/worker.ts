import { parentPort, workerData } from 'node:worker_threads';
import { AppError, messageOf } from '../../core/errors.ts';
import { openSqliteStorage } from './sqlite-storage.ts';
import { CLOSE, type StorageReply, type StorageRequest, type WorkerSettings } from './worker-protocol.ts';

/**
 * The storage thread. Operations run one after another, each to its end, so that a transaction of the query builder
 * (which awaits) can never mix with another operation on the one connection. Batches of deliveries go first.
 */
const port = parentPort!;
const reply = (message: StorageReply) => port.postMessage(message);

const batches: StorageRequest[] = [];
const others: StorageRequest[] = [];
let closing = false;
let draining = false;

const storage = open();
reply({ kind: 'opened' });

port.on('message', (message: StorageRequest | typeof CLOSE) => {
  if (message === CLOSE) closing = true;
  else (message.port === 'deliveryLog' ? batches : others).push(message);
  if (!draining) void drain();
});

function open() {
  try {
    return openSqliteStorage((workerData as WorkerSettings).file);
  } catch (error) {
    reply(errorReply(null, error));
    throw error;
  }
}

async function drain(): Promise<void> {
  draining = true;
  for (let request = batches.shift() ?? others.shift(); request; request = batches.shift() ?? others.shift()) {
    await perform(request);
    // Lets messages in that arrived meanwhile, so that a waiting batch overtakes the reads in the queue.
    if (others.length > 0) await new Promise(setImmediate);
  }
  draining = false;
  if (closing) close();
}

async function perform(request: StorageRequest): Promise<void> {
  try {
    const operations = storage[request.port] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    reply({ kind: 'result', id: request.id, value: await operations[request.operation]!(...request.args) });
  } catch (error) {
    reply(errorReply(request.id, error));
  }
}

function errorReply(id: number | null, error: unknown): StorageReply {
  const code = error instanceof AppError ? error.code : 'internal';
  const details = error instanceof AppError ? error.details : undefined;
  return { kind: 'error', id, code, message: messageOf(error), details };
}

function close(): void {
  storage.close();
  port.close();
}
