import type { ConfigChange } from '../config/live-config.ts';
import { findPushTrigger } from '../config/push-trigger.ts';
import type { Part } from '../domain/part.ts';
import type { SecretHistory, SecretStore } from '../domain/ports/secret-store.ts';
import { createServing } from '../ingress/registry/create-serving.ts';
import { LiveFactories } from '../ingress/registry/live-factories.ts';
import { followReconciliations } from '../operations/follow-reconciliations.ts';
import { createNotifier } from '../outbound/notify/create-notifier.ts';
import type { TargetFailure } from '../outbound/outbox.ts';
import { builtFile } from '../platform/files/package-files.ts';
import { createNotifyingSecretStore } from '../platform/secrets/notifying-secret-store.ts';
import { createRequestChecks, type RequestChecks } from '../reconcile/pull-requests/create-request-checks.ts';
import { type ReconcileThread, startReconcileThread } from '../reconcile/thread/start-reconcile-thread.ts';
import type { Replicas } from '../storage/replicas/join-replicas.ts';
import type { DaemonOptions } from './daemon.ts';
import type { DaemonObservers } from './observe-daemon.ts';
import type { DaemonState } from './open-daemon-state.ts';

/** From commits and edits to what is live, and the reports about it. */
export interface Definitions {
  reconciling: ReconcileThread;
  liveFactories: LiveFactories;
  /** For people: what waits for a secret is retried when it changes. */
  secrets: SecretStore & SecretHistory;
  /** For the parts of this daemon. */
  storedSecrets: SecretStore & SecretHistory;
  requestChecks: RequestChecks;
  /** The targets and hosts of this factory that cannot be reached. */
  notifyFailures(factory: string): TargetFailure[];
}

/** Creates what turns commits into live webhooks. Nothing is live before its start. */
export function openDefinitions(
  state: DaemonState,
  observers: DaemonObservers,
  replicas: Replicas,
  options: Pick<DaemonOptions, 'readsWorkTrees'>,
): Definitions {
  const { config, env, paths, storage, sealed, openChannel, service, steadyClock, ids, parts, publish, logger } = state;
  const { metrics, registry, tracing } = observers;
  const notices = createNotifier({
    config,
    storage,
    secrets: sealed.secrets,
    metrics,
    clock: steadyClock,
    ids,
    logger,
  });
  const requestChecks = createRequestChecks({
    config,
    paths,
    env,
    notifier: notices.notifier,
    registry,
    inventory: storage.inventory,
    secrets: sealed.secrets,
    openChannel,
    publish,
    clock: steadyClock,
    logger,
  });
  const liveFactories = new LiveFactories(registry, (factory) => findPushTrigger(config.factories, factory), {
    onChanged: (changes) => publish('schedulesChanged', changes),
    onRemoved: (factory) => publish('factoryRemoved', { factory }),
  });
  const publishStored = (name: string) => publish('secretStored', { name });
  const storedSecrets = createNotifyingSecretStore(sealed.secrets, publishStored, publishStored);
  const reconciling = startReconcileThread({
    workerUrl: builtFile('reconcile/thread/worker.js'),
    settings: {
      factories: config.factories,
      webhooksPerFactory: config.limits.webhooksPerFactory,
      paths,
      env,
      readsWorkTrees: options.readsWorkTrees ?? false,
    },
    openChannel,
    serving: createServing(state.applyPacked, liveFactories, (factory, version) =>
      publish('definitionApplied', { factory, version }),
    ),
    secrets: storedSecrets,
    onReconciled: (reconciliation) => publish('reconciled', reconciliation),
    onTimedPass: tracing?.onTimedPass ?? (() => {}),
    logger,
  });
  parts.add(followReconciliations({ config, registry, metrics, service, logger }), notices.part, requestChecks.part);
  parts.add(serveDefinitions(state, observers, { reconciling, liveFactories, replicas }));
  const secrets = createNotifyingSecretStore(storedSecrets, (name) => publish('secretChanged', { name }));
  const notifyFailures = (factory: string) => [
    ...notices.notifier.failures(factory),
    ...requestChecks.failures(factory),
  ];
  return { reconciling, liveFactories, secrets, storedSecrets, requestChecks, notifyFailures };
}

interface Served {
  reconciling: ReconcileThread;
  liveFactories: LiveFactories;
  replicas: Pick<Replicas, 'beginFollowing'>;
}

function serveDefinitions(
  { storage, isConfigured }: DaemonState,
  { registry }: DaemonObservers,
  { reconciling, liveFactories, replicas }: Served,
): Part<ConfigChange> {
  const { inventoryReader } = storage;
  /** A factory that was forgotten or renamed elsewhere ends here, too. */
  const follow = async (factory: string, { served, stored }: { served: number; stored: number }) => {
    if (isConfigured(factory)) return reconciling.follow(factory, served);
    liveFactories.remove(factory);
    registry.known.forgetFactory(factory);
    return stored;
  };
  /** What is live stays live, unless the configuration no longer names its factory. */
  const changeFactories = async ({ config, factories, applied }: ConfigChange) => {
    const { added, changed, removed } = factories;
    if (added.length > 0) {
      const names = new Set(added.map(({ name }) => name));
      const stored = await inventoryReader.webhookNames();
      registry.known.load(
        stored.filter(({ factory }) => names.has(factory)),
        () => true,
      );
    }
    const isOther = added.length + changed.length + removed.length > 0;
    if (!isOther && !applied.includes('limits.webhooksPerFactory')) return;
    const settings = { factories: config.factories, webhooksPerFactory: config.limits.webhooksPerFactory };
    // The source of a factory decides which webhook reports its pushes.
    const toServe = [...added, ...changed].map(({ name }) => name);
    await reconciling.restart(settings, toServe);
    // Last: before the thread ended, a pass could have made the definition live again.
    for (const name of removed) {
      liveFactories.remove(name);
      registry.known.noteUnconfigured(name);
    }
  };
  return {
    name: 'definitions',
    // What was applied last is live before anything listens.
    start: async () => {
      registry.known.load(await inventoryReader.webhookNames(), isConfigured);
      await replicas.beginFollowing(follow);
      await reconciling.serveAll();
    },
    lead: () => reconciling.start(),
    reload: changeFactories,
    stop: () => reconciling.stop(),
    on: {
      pushReceived: ({ factory, trace }) => {
        if (isConfigured(factory)) reconciling.onPush(factory, trace);
      },
      secretChanged: () => reconciling.onSecretChanged(),
    },
  };
}
