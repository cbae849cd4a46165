import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Config, FactoryConfig } from '../config/config.ts';
import { AppError } from '../core/errors.ts';
import type { IdSource } from '../core/ids.ts';
import type { Page, PageRequest } from '../core/page.ts';
import type { Revision } from '../core/ports/definitions/hosted-source.ts';
import type { ReconcileControl } from '../core/ports/definitions/reconciler.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Storage } from '../core/ports/storage.ts';
import type { Reconciliation } from '../core/reconciliation.ts';
import type { Clock } from '../core/time/clock.ts';
import { scheduleCall } from '../core/time/schedule.ts';
import type { DataPaths } from '../data-dir/data-paths.ts';
import type { DefinitionsThread } from '../inspection/definitions-thread.ts';
import type { EditOutcome, FactoryEdit } from '../reconcile/edit-factory.ts';
import type { FactoryContext } from '../reconcile/factory-context.ts';
import { Reconciler } from '../reconcile/reconciler.ts';
import { createGitSource } from '../source/git-source.ts';
import { createLiveSource } from '../source/live-source.ts';
import { createManagedSource } from '../source/managed-source.ts';
import type { Environment } from './open-foundation.ts';

export interface ReconcilerParts {
  config: Config;
  /** From where git gets the few variables that it needs. */
  env: Environment;
  paths: DataPaths;
  storage: Storage;
  secrets: SecretStore;
  definitions: DefinitionsThread;
  activate: FactoryContext['activate'];
  /** Is a webhook of that name live in the factory? */
  isLive(factory: string, webhook: string): boolean;
  onReconciled(reconciliation: Reconciliation): void;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
}

/** The loops of all configured factories. */
export interface Reconcilers extends ReconcileControl {
  start(): void;
  onSecretChanged(): void;
  /** The production branch of the factory may have moved. */
  onPush(factory: string): void;
  /** Changes the definition of a factory that the service hosts. */
  edit(factory: string, edit: FactoryEdit): Promise<EditOutcome>;
  /** The revisions of a hosted definition, newest first; `null` where its source keeps none. */
  history(factory: string, page: PageRequest): Promise<Page<Revision> | null>;
  /** Does something to what the last pass of the factory left, while none is under way. */
  betweenPasses<T>(factory: string, work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

export function createReconcilers(parts: ReconcilerParts): Reconcilers {
  const byName = new Map(parts.config.factories.map((factory) => [factory.name, createReconciler(parts, factory)]));
  const all = [...byName.values()];
  const find = (factory: string) => {
    const reconciler = byName.get(factory);
    if (reconciler) return reconciler;
    throw new AppError('not_found', `the configuration names no factory ${factory}`);
  };
  return {
    start: () => {
      for (const reconciler of all) reconciler.start();
    },
    reconcileNow: async (factory) => find(factory).reconcile(),
    edit: async (factory, edit) => find(factory).edit(edit),
    contains: async (factory, revision, earlier) => find(factory).contains(revision, earlier),
    history: async (factory, page) => find(factory).history(page),
    onSecretChanged: () => {
      for (const reconciler of all) reconciler.onSecretChanged();
    },
    onPush: (factory) => byName.get(factory)?.onPush(),
    betweenPasses: (factory, work) => byName.get(factory)?.betweenPasses(work) ?? work(),
    stop: async () => {
      const stopped = all.map((reconciler) => reconciler.stop());
      // A pass that waits for a slow definition must not hold the stop up.
      await Promise.all([parts.definitions.close(), ...stopped]);
    },
  };
}

function createReconciler(parts: ReconcilerParts, factory: FactoryConfig): Reconciler {
  const { storage, secrets, definitions, activate, clock, ids, logger } = parts;
  const { webhooksPerFactory } = parts.config.limits;
  const context = {
    name: factory.name,
    ...openSource(parts, factory),
    sourceKey: digestSource(factory),
    hasExecutor: factory.runs.executor !== null,
    pushWebhook: factory.source.type === 'repository' ? factory.source.pushWebhook : null,
    isLive: (webhook: string) => parts.isLive(factory.name, webhook),
    inventory: storage.inventory,
    secrets,
    validate: definitions.validate.bind(definitions),
    webhooksPerFactory,
    activate,
    clock,
    ids,
    logger,
  };
  return new Reconciler(context, scheduleCall, parts.onReconciled);
}

function openSource(
  { paths, storage, env }: ReconcilerParts,
  { name, source }: FactoryConfig,
): Pick<FactoryContext, 'source' | 'hosted'> {
  if (source.type === 'repository') {
    const { url, branch, path, pollIntervalMs } = source;
    const mirrorDir = join(paths.mirrors, name);
    return {
      source: createGitSource({ url, branch, path, pollIntervalMs, mirrorDir, environment: env }),
      hosted: null,
    };
  }
  const hosted =
    source.type === 'live'
      ? createLiveSource(storage.liveDefinitions, name)
      : createManagedSource(join(paths.managed, `${name}.git`), env);
  return { source: hosted, hosted };
}

/** The URL may hold a password, so what is stored is a digest. */
function digestSource({ source }: FactoryConfig): string {
  const place = source.type === 'repository' ? [source.url, source.branch, source.path] : [source.type];
  return createHash('sha256').update(JSON.stringify(place)).digest('hex');
}
