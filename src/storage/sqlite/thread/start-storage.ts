import { Worker } from 'node:worker_threads';
import type { DeliveryLogEntry } from '../../../core/delivery.ts';
import { AppError } from '../../../core/errors.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { restoreError } from '../../../threads/pending-calls.ts';
import { type ThreadEnd, WorkerCalls } from '../../../threads/worker-calls.ts';
import { isBreaking } from '../disk/storage-error.ts';
import {
  CLOSE,
  OPERATIONS,
  type OpenReport,
  type PortName,
  type StorageRequest,
  type WorkerSettings,
} from './worker-protocol.ts';

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
  let markOpened!: (warnings: string[]) => void;
  let failOpening!: (error: AppError) => void;
  let markBroken!: (error: AppError) => void;
  const opened = new Promise<string[]>((resolve, reject) => {
    markOpened = resolve;
    failOpening = reject;
  });
  const broken = new Promise<AppError>((resolve) => {
    markBroken = resolve;
  });
  const noteError = (error: AppError) => {
    if (isBreaking(error)) markBroken(error);
    return error;
  };
  const calls = new WorkerCalls<StorageRequest>(new Worker(workerUrl, { workerData: settings }), {
    describeEnd: (end) => {
      const error = noteError(describeEnd(end));
      failOpening(error);
      return error;
    },
    onMessage: (message) => {
      const report = message as OpenReport;
      if ('openError' in report) failOpening(noteError(restoreError(report.openError)));
      else markOpened(report.warnings);
    },
    onRejected: noteError,
  });
  const warnings = await opened;
  return {
    warnings,
    storage: createClient(calls),
    broken,
    close: async () => {
      calls.post(CLOSE);
      await calls.exited;
    },
  };
}

function describeEnd(end: ThreadEnd): AppError {
  if ('error' in end) return new AppError('storage_broken', end.error.message, { cause: end.error });
  return new AppError('storage_unavailable', 'the storage thread has ended');
}

function createClient(calls: WorkerCalls<StorageRequest>): Storage {
  const client: Record<string, Record<string, unknown>> = {};
  for (const [port, operations] of Object.entries(OPERATIONS) as [PortName, readonly string[]][]) {
    client[port] = {};
    for (const operation of operations) {
      client[port][operation] = (...args: unknown[]) => calls.call({ port, operation, args });
    }
  }
  // Payloads change threads without a copy.
  client.deliveryLog!.record = (batch: DeliveryLogEntry[]) =>
    calls.call({ port: 'deliveryLog', operation: 'record', args: [batch] }, collectBodies(batch));
  return client as unknown as Storage;
}

function collectBodies(batch: readonly DeliveryLogEntry[]): ArrayBuffer[] {
  const bodies: ArrayBuffer[] = [];
  for (const entry of batch)
    if (entry.kind !== 'rejection' && entry.body.byteLength > 0) bodies.push(entry.body.buffer);
  return bodies;
}
