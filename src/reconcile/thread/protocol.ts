import type { MessagePort } from 'node:worker_threads';
import type { ReconciliationEnd } from '../../domain/applies/reconciliation.ts';
import type { Serving } from '../../domain/ports/definitions.ts';
import type { AppliedChange } from '../../domain/ports/inventory.ts';
import type { LogFields, Logger } from '../../domain/ports/logger.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { TimedPass } from '../../domain/ports/tracing.ts';
import type { AdoptSecret } from '../../ingress/ingress-context.ts';
import type { Packed } from '../../platform/threads/packed.ts';
import { listOperations } from '../../platform/threads/port-client.ts';
import type { ReconcilerParts, Reconcilers, SourceParts } from '../create-reconcilers.ts';
import type { FactoryEditor } from '../edit/factory-editor.ts';

/** What the reconcile thread gets when it starts. */
export interface ReconcileSettings
  extends Pick<ReconcilerParts, 'factories' | 'webhooksPerFactory'>,
    Pick<SourceParts, 'paths' | 'env' | 'readsWorkTrees'> {
  /** From `StorageThread.openChannel`. */
  storage: MessagePort;
}

/** The ports of the reconcile thread. */
export interface ReconcilePorts {
  reconcilers: Pick<
    Reconcilers,
    | 'start'
    | 'reconcileNow'
    | 'contains'
    | 'forget'
    | 'rename'
    | 'onSecretChanged'
    | 'onPush'
    | 'serve'
    | 'serveAll'
    | 'stop'
  > & {
    /** As `Reconciler.follow`, with what changed since a live version. */
    follow(factory: string, since: number): Promise<number>;
  };
  editor: FactoryEditor;
  adoption: { adopt: AdoptSecret };
}

export const RECONCILE_OPERATIONS = listOperations<ReconcilePorts>()({
  reconcilers: [
    'start',
    'reconcileNow',
    'contains',
    'forget',
    'rename',
    'onSecretChanged',
    'onPush',
    'serve',
    'follow',
    'serveAll',
    'stop',
  ],
  editor: [
    'createWebhook',
    'changeWebhook',
    'deleteWebhook',
    'rotateSecret',
    'giveSecret',
    'writeAutomation',
    'deleteAutomation',
    'revert',
    'history',
  ],
  adoption: ['adopt'],
});

/** The ports of the thread that serves deliveries, for the reconcile thread. */
export interface HostPorts {
  /** The thread that serves does not read the rows of a change itself. */
  serving: Serving<Packed<AppliedChange>>;
  secrets: SecretStore;
  reports: {
    reconciled(end: ReconciliationEnd): void;
    timed(pass: TimedPass): void;
    log(level: LogLevel, fields: LogFields, message: string): void;
  };
}

export type LogLevel = Exclude<keyof Logger, 'child'>;

export const HOST_OPERATIONS = listOperations<HostPorts>()({
  serving: ['stage', 'apply', 'serve'],
  secrets: ['put', 'delete', 'list', 'find', 'resolve', 'scopes', 'open'],
  reports: ['reconciled', 'timed', 'log'],
});
