import type { MessagePort } from 'node:worker_threads';
import type { ChangeRecord } from '../../domain/access/change-record.ts';
import type { GroupEvent, ReplicaTable } from '../../domain/ports/replicas.ts';
import type { RunLogParts } from '../../domain/ports/run-files.ts';
import type { Storage } from '../../domain/ports/storage.ts';
import type { SharedMeasures } from '../../domain/telemetry/write-measures.ts';
import type { ErrorCopy } from '../../platform/threads/pending-calls.ts';
import { listOperations, type PortRequest } from '../../platform/threads/port-client.ts';
import type { MigratedSchema } from '../postgres/migrate.ts';
import type { Migration } from '../sqlite/disk/open-database.ts';

/** What only the worker of a database offers that several daemons share. */
export interface GroupPorts {
  replicas: ReplicaTable;
  runLogParts: RunLogParts;
}

export const GROUP_OPERATIONS = listOperations<GroupPorts>()({
  replicas: [
    'list',
    'describe',
    'liveVersions',
    'changesSince',
    'announce',
    'liveMachines',
    'orderCancel',
    'cancelOrders',
  ],
  runLogParts: [
    'append',
    'received',
    'size',
    'read',
    'times',
    'complete',
    'noteMoved',
    'totalBytes',
    'oldestEnded',
    'remove',
    'orphans',
  ],
});

export type PortName = keyof Storage | keyof typeof GROUP_OPERATIONS;

/** The settings of a worker: how to open its database, and where it writes what it measures. */
export type WorkerSettings<Database extends object> = Database & { measures: SharedMeasures };

/** An argument may be `Packed`. */
export interface StorageRequest extends PortRequest {
  port: PortName;
  /** Stored with the change. */
  record?: ChangeRecord | null;
}

/** What happened while the database was opened. */
export interface OpenedDatabase {
  /** Why the file cannot shrink; usually empty. */
  warnings: string[];
  /** `null` if the schema was up to date, or new. */
  migration: Migration | MigratedSchema | null;
}

/**
 * A message of the worker that answers no request: the result of opening the database, that the content of the disk is
 * unknown, or what happened in the group of the daemons that share the database. `locked` says whether another process holds
 * the write lock.
 */
export type StorageReport =
  | OpenedDatabase
  | { openError: ErrorCopy }
  | { broken: ErrorCopy }
  | { locked: boolean }
  | { group: GroupEvent };

/** Message to the worker: answer the requests of another thread, too. */
export interface ConnectMessage {
  connect: MessagePort;
}

/** Message to the worker: finish pending requests, close the database and exit. */
export const CLOSE = 'close';
