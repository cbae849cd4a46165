import type { MessagePort } from 'node:worker_threads';
import type { GroupEvent, ReplicaTable } from '../../core/ports/replicas.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { SharedMeasures } from '../../core/write-measures.ts';
import type { ErrorCopy } from '../../threads/pending-calls.ts';
import { listOperations, type PortRequest } from '../../threads/port-client.ts';
import type { Migration } from '../sqlite/disk/open-database.ts';

/** The operations that the worker accepts. */
export const OPERATIONS = listOperations<Storage>()({
  deliveryLog: ['record'],
  deliveryReader: ['list', 'get', 'payload', 'form', 'evaluation', 'listeners'],
  storedPayloads: ['keys', 'read'],
  replays: ['span', 'count', 'read', 'insert', 'get', 'list', 'open', 'advance', 'end'],
  activityReader: ['deliveries', 'runs'],
  handshakeLog: ['append', 'list'],
  unloggedCounts: ['add', 'list'],
  idFinder: ['find'],
  inventory: [
    'register',
    'load',
    'apply',
    'recordAttempt',
    'renewAttempt',
    'pinSecret',
    'status',
    'lastReconciliation',
  ],
  inventoryReader: [
    'factories',
    'head',
    'counts',
    'webhooks',
    'deletedWebhooks',
    'webhook',
    'webhookNames',
    'automations',
    'automation',
    'unusableSecrets',
    'failedAutomations',
    'failing',
    'runTotals',
  ],
  factoryNames: ['forget', 'rename', 'folderChanges', 'noteFolderChange'],
  definitionHistory: ['changes', 'ofRevision', 'named', 'automationNames', 'commit'],
  keptAnswers: ['find', 'keep'],
  liveDefinitions: ['head', 'read', 'commit'],
  runQueue: [
    'claim',
    'admit',
    'finish',
    'release',
    'retryFailed',
    'noteLogOffset',
    'cancelQueued',
    'retry',
    'running',
    'accept',
    'accepted',
    'noteProgress',
  ],
  runReader: [
    'list',
    'count',
    'get',
    'input',
    'agentFiles',
    'attempts',
    'queuePositions',
    'automationBudgets',
    'factoryStarts',
    'oldestQueued',
  ],
  pauses: ['list', 'pause', 'resume'],
  reconciliationReader: ['list', 'get'],
  noticeQueue: ['put', 'skip', 'ofRun', 'next', 'newest', 'postpone', 'settle', 'retryNow'],
  alertStore: ['active', 'change', 'acknowledge', 'get', 'list', 'prune'],
  alertMessages: ['nextDueAt', 'compose', 'next', 'postpone', 'remove'],
  alertReader: [
    'expectedWebhooks',
    'unacceptedRequests',
    'failedAutomations',
    'deadLetters',
    'oldestWaiting',
    'expiringTokens',
  ],
  sealedSecrets: [
    'keyCheck',
    'setKeyCheck',
    'lastVersion',
    'insert',
    'setScope',
    'newest',
    'scopes',
    'get',
    'versions',
    'list',
    'find',
    'delete',
    'rotation',
    'beginRotation',
    'endRotation',
    'sealedElsewhere',
    'replaceSealed',
  ],
  runTokens: ['insert', 'findByHash'],
  tokens: ['insert', 'findByHash', 'touch', 'list', 'revoke'],
  users: ['insertLocal', 'enterOidc', 'get', 'list', 'findLocal', 'change', 'delete', 'noteSignIn'],
  sessions: ['insert', 'find', 'touch', 'end', 'listOf', 'endAll'],
  loginLinks: ['insert', 'take'],
  auditLog: ['append', 'list'],
  retention: ['prune', 'lastMark', 'noteMark', 'reclaim'],
});

/** What the worker of a database offers that several daemons share. */
export const GROUP_OPERATIONS = listOperations<{ replicas: ReplicaTable }>()({
  replicas: ['list', 'describe', 'liveVersions', 'announce'],
});

export type PortName = keyof typeof OPERATIONS | keyof typeof GROUP_OPERATIONS;

/** The settings of a worker: how to open its database, and where it writes what it measures. */
export type WorkerSettings<Database extends object> = Database & { measures: SharedMeasures };

/** An argument may be `Packed`. */
export interface StorageRequest extends PortRequest {
  port: PortName;
}

/** What happened while the database was opened. */
export interface OpenedDatabase {
  /** Why the file cannot shrink; usually empty. */
  warnings: string[];
  /** `null` if the schema was up to date. */
  migration: Migration | null;
}

/**
 * A message of the worker that answers no request: the result of opening the database, that the content of the disk is
 * unknown, or what happened in the group of the daemons that share the database.
 */
export type StorageReport = OpenedDatabase | { openError: ErrorCopy } | { broken: ErrorCopy } | { group: GroupEvent };

/** Message to the worker: answer the requests of another thread, too. */
export interface ConnectMessage {
  connect: MessagePort;
}

/** Message to the worker: finish pending requests, close the database and exit. */
export const CLOSE = 'close';
