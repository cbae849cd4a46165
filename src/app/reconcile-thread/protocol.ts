import type { MessagePort } from 'node:worker_threads';
import type { FactoryConfig } from '../../config/config.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { AppliedChange } from '../../domain/ports/definitions/inventory.ts';
import type { ServedChange, Serving, ServingWebhook } from '../../domain/ports/definitions/serving.ts';
import type { LogFields, Logger } from '../../domain/ports/logger.ts';
import type { PutMode, PutOptions, SecretStore } from '../../domain/ports/secret-store.ts';
import type { TimedPass } from '../../domain/ports/tracing.ts';
import type { ReconciliationEnd } from '../../domain/reconciliation.ts';
import type { Environment } from '../../domain/reserved-variables.ts';
import type { AppliedWebhook } from '../../domain/resources/webhook.ts';
import type { SecretUser } from '../../domain/secret-scope.ts';
import { SecretValue } from '../../domain/secret-value.ts';
import type { AdoptSecret } from '../../ingress/ingress-context.ts';
import type { DataPaths } from '../../operations/data-dir/data-paths.ts';
import type { Packed } from '../../platform/threads/packed.ts';
import { listOperations } from '../../platform/threads/port-client.ts';
import type { EditOrder, FactoryEditor } from '../../reconcile/edit/factory-editor.ts';
import type { NewWebhook } from '../../reconcile/edit/webhook-edits.ts';
import type { Reconcilers } from '../create-reconcilers.ts';

/** What the reconcile thread gets when it starts. */
export interface ReconcileSettings {
  factories: readonly FactoryConfig[];
  webhooksPerFactory: number;
  paths: Pick<DataPaths, 'mirrors' | 'managed'>;
  env: Environment;
  /** As in `SourceParts`. */
  readsWorkTrees: boolean;
  /** From `StorageThread.openChannel`. */
  storage: MessagePort;
}

/** A secret as it crosses threads, which lose the class `SecretValue`. */
export type CopiedSecret = string | null;

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
  editor: CopiedEditor;
  adoption: { adopt(webhook: Parameters<AdoptSecret>[0], value: string): ReturnType<AdoptSecret> };
}

/** A `FactoryEditor` with copied secrets. */
export interface CopiedEditor extends Omit<FactoryEditor, 'createWebhook' | 'rotateSecret' | 'giveSecret'> {
  createWebhook(
    order: EditOrder,
    webhook: Omit<NewWebhook, 'secret'> & { secret: CopiedSecret },
  ): Promise<CopiedSecret>;
  rotateSecret(order: EditOrder, uid: WebhookUid, given: CopiedSecret): Promise<CopiedSecret>;
  giveSecret(order: EditOrder, uid: WebhookUid, value: string): Promise<void>;
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
  serving: CopiedServing;
  secrets: CopiedSecretStore;
  reports: {
    reconciled(end: ReconciliationEnd): void;
    timed(pass: TimedPass): void;
    log(level: LogLevel, fields: LogFields, message: string): void;
  };
}

export type LogLevel = Exclude<keyof Logger, 'child'>;

/** `Serving` with copied secrets. The thread that serves does not read the change itself. */
export interface CopiedServing {
  stage: Serving['stage'];
  apply(change: Packed<AppliedChange>, served: CopiedServedChange): ReturnType<Serving['apply']>;
  serve(served: CopiedServedChange): Promise<void>;
}

export type CopiedServedChange = Omit<ServedChange, 'webhooks'> & { webhooks: CopiedServingWebhook[] };

type CopiedServingWebhook = { [Key in keyof ServingWebhook]: Key extends 'webhook' ? AppliedWebhook : CopiedSecret };

/** A `SecretStore` with copied secrets. */
export interface CopiedSecretStore extends Pick<SecretStore, 'delete' | 'list' | 'find' | 'scopes'> {
  put(name: string, value: CopiedSecret, mode: PutMode, options?: PutOptions): ReturnType<SecretStore['put']>;
  resolve(
    name: string,
    user: SecretUser | 'configuration',
  ): Promise<
    { outcome: 'found'; version: number; value: string } | { outcome: 'missing' } | { outcome: 'outside_scope' }
  >;
  open(name: string, version: number): Promise<CopiedSecret>;
}

export const HOST_OPERATIONS = listOperations<HostPorts>()({
  serving: ['stage', 'apply', 'serve'],
  secrets: ['put', 'delete', 'list', 'find', 'resolve', 'scopes', 'open'],
  reports: ['reconciled', 'timed', 'log'],
});

/** The field `err` of a log line as it crosses threads, which lose the class and the code of an error. */
export interface CopiedLogError {
  name: string;
  message: string;
  stack: string | undefined;
  code: unknown;
}

/** Fields of a log line that can be copied. An error in `err` keeps what the log shows of it. */
export function copyLogFields(fields: LogFields): LogFields {
  const { err } = fields;
  if (!(err instanceof Error)) return fields;
  const { name, message, stack } = err;
  const code = 'code' in err ? err.code : undefined;
  return { ...fields, err: { name, message, stack, code } satisfies CopiedLogError };
}

export function restoreLogFields(fields: LogFields): LogFields {
  if (fields.err === undefined) return fields;
  const { name, message, stack, code } = fields.err as CopiedLogError;
  const error = Object.assign(new Error(message), { name, stack }, code === undefined ? {} : { code });
  return { ...fields, err: error };
}

export function copySecret(value: SecretValue | null): CopiedSecret {
  return value === null ? null : value.reveal();
}

export function restoreSecret(copied: CopiedSecret): SecretValue | null {
  return copied === null ? null : new SecretValue(copied);
}
