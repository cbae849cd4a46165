import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Config, FactoryConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { IdSource } from '../core/ids.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { ReconcileControl } from '../core/ports/reconciler.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Storage } from '../core/ports/storage.ts';
import type { Reconciliation } from '../core/reconciliation.ts';
import type { FactoryContext } from '../reconcile/reconcile-factory.ts';
import { Reconciler } from '../reconcile/reconciler.ts';
import { createGitSource } from '../source/git-source.ts';
import type { DataPaths } from './data-paths.ts';
import type { DefinitionsThread } from './definitions-thread.ts';
import type { Environment } from './open-foundation.ts';
import { scheduleUnref } from './schedule-unref.ts';

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
  /** Does something to what the last pass of the factory left, while none is under way. */
  betweenPasses<T>(factory: string, work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

export function createReconcilers(parts: ReconcilerParts): Reconcilers {
  const byName = new Map(parts.config.factories.map((factory) => [factory.name, createReconciler(parts, factory)]));
  const all = [...byName.values()];
  return {
    start: () => {
      for (const reconciler of all) reconciler.start();
    },
    reconcileNow: async (factory) => {
      const reconciler = byName.get(factory);
      if (reconciler) return reconciler.reconcile();
      throw new AppError('not_found', `the configuration names no factory ${factory}`);
    },
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
  const { url, branch, path, pollIntervalMs, pushWebhook } = factory.source;
  const { webhooksPerFactory } = parts.config.limits;
  const mirrorDir = join(parts.paths.mirrors, factory.name);
  const context = {
    name: factory.name,
    source: createGitSource({ url, branch, path, pollIntervalMs, mirrorDir, environment: parts.env }),
    sourceKey: digestSource(factory),
    hasExecutor: factory.runs.executor !== null,
    pushWebhook,
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
  return new Reconciler(context, scheduleUnref, parts.onReconciled);
}

/** The URL may hold a password, so what is stored is a digest. */
function digestSource({ source }: FactoryConfig): string {
  return createHash('sha256')
    .update(JSON.stringify([source.url, source.branch, source.path]))
    .digest('hex');
}
