// The room of what is stored. In: calls of the ports in `domain/ports/` from any thread. Out: their answers, and errors with a
// code. Each operation is one transaction.
// The way of a call: here, through a message (`worker-protocol.ts`), to `storage/sqlite/thread/worker.ts` or
// `storage/postgres/thread/worker.ts`, and to the port that `storage/sql/create-ports.ts` made. Deliveries go as a batch
// (`packed-batch.ts`) to the hot path of the database.
// Next: `operation-rights.ts` for who may perform an operation, `storage/replicas/join-replicas.ts` for daemons that share a
// database, `storage/copy/copy-tables.ts` for the way from SQLite to PostgreSQL.

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { changeWithRecord } from '../../domain/access/change-record.ts';
import { AppError } from '../../domain/errors.ts';
import type { AppliedChange, AssignedNumbers } from '../../domain/ports/inventory.ts';
import type { GroupEvent, ReplicaTable } from '../../domain/ports/replicas.ts';
import type { Storage } from '../../domain/ports/storage.ts';
import type { DeliveryLogEntry } from '../../domain/resources/delivery.ts';
import { allocateMeasures, openMeasures, type WriteMeasures } from '../../domain/telemetry/write-measures.ts';
import type { Packed } from '../../platform/threads/packed.ts';
import { PendingCalls, type Reply, restoreError } from '../../platform/threads/pending-calls.ts';
import { createPortClient, nameOperations } from '../../platform/threads/port-client.ts';
import { type ThreadEnd, WorkerCalls } from '../../platform/threads/worker-calls.ts';
import { isBreaking } from '../sqlite/disk/storage-error.ts';
import { isChange, OPERATION_RIGHTS } from './operation-rights.ts';
import { type PackedOutcomes, packBatch, unpackOutcomes } from './packed-batch.ts';
import {
  CLOSE,
  type ConnectMessage,
  GROUP_OPERATIONS,
  type GroupPorts,
  type OpenedDatabase,
  type StorageReport,
  type StorageRequest,
  type WorkerSettings,
} from './worker-protocol.ts';

/** A storage in a separate thread, so that the HTTP thread never waits for the disk. */
export interface StorageThread {
  storage: Storage;
  opened: OpenedDatabase;
  /** Measures of the transactions that record deliveries. */
  measures: WriteMeasures;
  /**
   * Resolves with the reason if the storage fails permanently. The daemon has to stop accepting and exit (threat model
   * D3).
   */
  broken: Promise<AppError>;
  /** Whether another process locks the database, so that nothing can be written. With PostgreSQL, none does. */
  lock: DatabaseLock;
  /** Opens a channel for `connectStorage` in another thread. */
  openChannel(): MessagePort;
  /** As `Inventory.apply`, for a change that another thread composed. */
  applyPacked(change: Packed<AppliedChange>): Promise<AssignedNumbers>;
  /** The daemons that share the database. With SQLite, nobody answers. */
  group: GroupLink;
  /** Finishes pending operations and closes the database. */
  close(): Promise<void>;
}

/** The write lock of the database, as this process sees it. */
class DatabaseLock {
  #isForeign = false;
  #listener: () => void = () => {};

  /** Does another process hold it? */
  get isForeign(): boolean {
    return this.#isForeign;
  }

  note(isForeign: boolean): void {
    this.#isForeign = isForeign;
    this.#listener();
  }

  /** @param listener called when another process has taken the lock, and when it has released it */
  onChange(listener: () => void): void {
    this.#listener = listener;
  }
}

/** The group of the daemons that share a database. */
interface GroupLink extends GroupPorts {
  /** Reports everything that has happened, and what happens from now on. */
  listen(listener: (event: GroupEvent) => void): void;
}

/** A batch leaves few objects behind, so a small young generation takes no more processor time, and less memory. */
const RESOURCES = { maxYoungGenerationSizeMb: 4 };

/**
 * Opens the database in a worker thread. Rejects with the error of the worker if it cannot be opened.
 *
 * @param workerUrl the built `worker.js` of the database
 */
export async function startStorage<Database extends object>(
  workerUrl: URL,
  database: Database,
): Promise<StorageThread> {
  const settings: WorkerSettings<Database> = { ...database, measures: allocateMeasures() };
  let markOpened!: (opened: OpenedDatabase) => void;
  let failOpening!: (error: AppError) => void;
  let markBroken!: (error: AppError) => void;
  const opening = new Promise<OpenedDatabase>((resolve, reject) => {
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
  const group = new GroupEvents();
  const lock = new DatabaseLock();
  const calls = new WorkerCalls<StorageRequest>(
    new Worker(workerUrl, { workerData: settings, resourceLimits: RESOURCES }),
    {
      describeEnd: (end) => {
        const error = reportIfBreaking(describeEnd(end));
        failOpening(error);
        return error;
      },
      onMessage: (message) => {
        const report = message as StorageReport;
        if ('openError' in report) failOpening(reportIfBreaking(restoreError(report.openError)));
        else if ('broken' in report) markBroken(restoreError(report.broken));
        else if ('locked' in report) lock.note(report.locked);
        else if ('group' in report) group.note(report.group);
        else markOpened(report);
      },
      onRejected: reportIfBreaking,
    },
  );
  const opened = await opening;
  return {
    opened,
    measures: openMeasures(settings.measures),
    storage: createClient((request, transfer) => calls.call(request, transfer)),
    broken,
    lock,
    group: {
      ...createGroupClient((request) => calls.call(request)),
      listen: (listener) => group.listen(listener),
    },
    openChannel: () => {
      const { port1, port2 } = new MessageChannel();
      calls.post({ connect: port1 } satisfies ConnectMessage, [port1]);
      return port2;
    },
    applyPacked: (change) => {
      const request: StorageRequest = { port: 'inventory', operation: 'apply', args: [change] };
      return calls.call(request, [change.packed.buffer]) as Promise<AssignedNumbers>;
    },
    close: async () => {
      calls.post(CLOSE);
      await calls.exited;
    },
  };
}

/** Keeps what happens before somebody listens. */
class GroupEvents {
  #earlier: GroupEvent[] = [];
  #listener: ((event: GroupEvent) => void) | null = null;

  note(event: GroupEvent): void {
    if (this.#listener === null) this.#earlier.push(event);
    else this.#listener(event);
  }

  listen(listener: (event: GroupEvent) => void): void {
    this.#listener = listener;
    for (const event of this.#earlier.splice(0)) listener(event);
  }
}

function describeEnd(end: ThreadEnd): AppError {
  if ('error' in end) return new AppError('storage_broken', end.error.message, { cause: end.error });
  return new AppError('storage_unavailable', 'the storage thread exited');
}

/**
 * Connects another thread to the storage, and to the group of the daemons that share it. With SQLite, nobody answers for the
 * group.
 *
 * @param port from `StorageThread.openChannel`
 */
export function connectStorage(port: MessagePort): Storage & { replicas: ReplicaTable } {
  const pending = new PendingCalls();
  port.on('message', (reply: Reply) => pending.settle(reply));
  port.on('close', () => pending.rejectAll(new AppError('storage_unavailable', 'the storage thread exited')));
  const call: CallStorage = (request, transfer) => pending.open((id) => port.postMessage({ id, request }, transfer));
  return { ...createClient(call), replicas: createGroupClient(call).replicas };
}

type CallStorage = (request: StorageRequest, transfer?: ArrayBuffer[]) => Promise<unknown>;

function createGroupClient(call: CallStorage): GroupPorts {
  return createPortClient<GroupPorts>(GROUP_OPERATIONS, (request) => call(request as StorageRequest));
}

function createClient(call: CallStorage): Storage {
  const client = createPortClient<Storage>(nameOperations(OPERATION_RIGHTS), (request) => {
    if (!isChange(request.port, request.operation)) return call(request as StorageRequest);
    return changeWithRecord((record) => call({ ...(request as StorageRequest), record }));
  });
  const record = async (batch: DeliveryLogEntry[]) => {
    const { packed, transfer } = packBatch(batch);
    return unpackOutcomes((await call({ ...RECORD, args: [packed] }, transfer)) as PackedOutcomes);
  };
  return { ...client, deliveryLog: { record } };
}

const RECORD = { port: 'deliveryLog', operation: 'record' } as const;
