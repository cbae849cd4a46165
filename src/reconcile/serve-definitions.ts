import type { ConfigChange } from '../config/live-config.ts';
import { type ConditionState, describeCondition } from '../domain/conditions.ts';
import type { Part } from '../domain/part.ts';
import type { InventoryReader } from '../domain/ports/inventory.ts';
import type { LiveFactories } from '../ingress/registry/live-factories.ts';
import type { Registry } from '../ingress/registry/registry.ts';
import type { Replicas } from '../storage/replicas/join-replicas.ts';
import type { ReconcileThread } from './thread/start-reconcile-thread.ts';

interface ServedParts {
  reconciling: ReconcileThread;
  liveFactories: LiveFactories;
  registry: Pick<Registry, 'known' | 'current'>;
  inventory: Pick<InventoryReader, 'webhookNames'>;
  replicas: Pick<Replicas, 'beginFollowing'>;
  /** Is the factory in the configuration? */
  isConfigured(factory: string): boolean;
}

/** Makes definitions live: those of the storage before anything listens, then those of passes and of other replicas. */
export function serveDefinitions(parts: ServedParts): Part<ConfigChange> {
  const { reconciling, liveFactories, registry, inventory, replicas, isConfigured } = parts;
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
      const stored = await inventory.webhookNames();
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
      registry.known.load(await inventory.webhookNames(), isConfigured);
      await replicas.beginFollowing(follow);
      await reconciling.serveAll();
    },
    lead: (term) => reconciling.start(term),
    reload: changeFactories,
    stop: () => reconciling.stop(),
    conditions: (factory) => (factory === null ? [] : describeUnreadable(registry, factory)),
    on: {
      pushReceived: ({ factory, trace }) => {
        if (isConfigured(factory)) reconciling.onPush(factory, trace);
      },
      secretChanged: () => reconciling.onSecretChanged(),
    },
  };
}

/** Webhooks whose applied secret cannot be opened. */
function describeUnreadable(registry: Pick<Registry, 'current'>, factory: string): ConditionState[] {
  const webhooks = [...registry.current().webhooks.values()].filter((webhook) => webhook.factory === factory);
  const unreadable = webhooks.flatMap(({ name, credential }) => ('unreadable' in credential ? [name] : [])).sort();
  return unreadable.length === 0 ? [] : [describeCondition('SecretUnreadable', unreadable)];
}
