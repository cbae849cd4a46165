import { findPushTrigger } from '../config/push-trigger.ts';
import type { NotifyMetrics } from '../domain/ports/metrics.ts';
import type { SecretHistory, SecretStore } from '../domain/ports/secret-store.ts';
import type { OnTimedPass } from '../domain/ports/tracing.ts';
import { createServing } from '../ingress/registry/create-serving.ts';
import { LiveFactories } from '../ingress/registry/live-factories.ts';
import { followReconciliations } from '../operations/follow-reconciliations.ts';
import { describeUnposted } from '../operations/health/live-conditions.ts';
import { createNotifier } from '../outbound/notify/create-notifier.ts';
import type { TargetFailure } from '../outbound/outbox.ts';
import { builtFile } from '../platform/files/package-files.ts';
import { createNotifyingSecretStore } from '../platform/secrets/notifying-secret-store.ts';
import { createRequestChecks, type RequestChecks } from '../reconcile/pull-requests/create-request-checks.ts';
import { serveDefinitions } from '../reconcile/serve-definitions.ts';
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
  const {
    config,
    env,
    paths,
    storage,
    sealed,
    openChannel,
    isConfigured,
    service,
    steadyClock,
    parts,
    publish,
    logger,
  } = state;
  const { metrics, registry, tracing } = observers;
  const notices = openNotices(state, metrics);
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
  const onTimedPass = tracing?.onTimedPass ?? (() => {});
  const reconciling = startReconciling(state, { liveFactories, secrets: storedSecrets, onTimedPass, ...options });
  parts.add(followReconciliations({ config, registry, metrics, service, logger }), notices.part, requestChecks.part);
  const { inventoryReader: inventory } = storage;
  parts.add(serveDefinitions({ reconciling, liveFactories, registry, inventory, replicas, isConfigured }));
  const secrets = createNotifyingSecretStore(storedSecrets, (name) => publish('secretChanged', { name }));
  const notifyFailures = (factory: string) => [
    ...notices.notifier.failures(factory),
    ...requestChecks.failures(factory),
  ];
  parts.add({
    name: 'hosts of commits',
    conditions: (factory) => describeUnposted(factory === null ? [] : notifyFailures(factory)),
  });
  return { reconciling, liveFactories, secrets, storedSecrets, requestChecks, notifyFailures };
}

interface ReconcilingParts extends Pick<DaemonOptions, 'readsWorkTrees'> {
  liveFactories: LiveFactories;
  secrets: SecretStore;
  onTimedPass: OnTimedPass;
}

function startReconciling(
  { config, paths, env, openChannel, applyPacked, publish, logger }: DaemonState,
  { liveFactories, secrets, onTimedPass, readsWorkTrees = false }: ReconcilingParts,
): ReconcileThread {
  return startReconcileThread({
    workerUrl: builtFile('reconcile/thread/worker.js'),
    settings: {
      factories: config.factories,
      webhooksPerFactory: config.limits.webhooksPerFactory,
      paths,
      env,
      readsWorkTrees,
    },
    openChannel,
    serving: createServing(applyPacked, liveFactories, (factory, version) =>
      publish('definitionApplied', { factory, version }),
    ),
    secrets,
    onReconciled: (reconciliation) => publish('reconciled', reconciliation),
    onTimedPass,
    logger,
  });
}

function openNotices({ config, storage, sealed, steadyClock, ids, logger }: DaemonState, metrics: NotifyMetrics) {
  return createNotifier({ config, storage, secrets: sealed.secrets, metrics, clock: steadyClock, ids, logger });
}
