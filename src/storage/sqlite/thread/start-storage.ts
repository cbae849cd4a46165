import { Worker } from 'node:worker_threads';
import { AppError } from '../../../core/errors.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { DeliveryLogEntry } from '../../../core/resources/delivery.ts';
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

/** A storage in a separate thread, so that the HTTP thread never waits for the disk. */
export interface StorageThread {
  storage: Storage;
  /** Why the database file cannot shrink; usually empty. */
  warnings: readonly string[];
  /**
   * Resolves with the reason if the storage fails permanently. The daemon has to stop accepting and exit (threat model
   * D3).
   */
  broken: Promise<AppError>;
  /** Finishes pending operations, checkpoints and closes the file. */
  close(): Promise<void>;
}

/**
 * Opens the database file in a worker thread. Rejects with the error of the worker if the file cannot be opened.
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
  const reportIfBreaking = (error: AppError) => {
    if (isBreaking(error)) markBroken(error);
    return error;
  };
  const calls = new WorkerCalls<StorageRequest>(new Worker(workerUrl, { workerData: settings }), {
    describeEnd: (end) => {
      const error = reportIfBreaking(describeEnd(end));
      failOpening(error);
      return error;
    },
    onMessage: (message) => {
      const report = message as OpenReport;
      if ('openError' in report) failOpening(reportIfBreaking(restoreError(report.openError)));
      else markOpened(report.warnings);
    },
    onRejected: reportIfBreaking,
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
  return new AppError('storage_unavailable', 'the storage thread exited');
}

function createClient(calls: WorkerCalls<StorageRequest>): Storage {
  const client: Record<string, Record<string, unknown>> = {};
  for (const [port, operations] of Object.entries(OPERATIONS) as [PortName, readonly string[]][]) {
    client[port] = {};
    for (const operation of operations) {
      client[port][operation] = (...args: unknown[]) => calls.call({ port, operation, args });
    }
  }
  // Payloads are transferred to the worker, not copied.
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
