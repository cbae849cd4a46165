import type { InventoryReader } from '../../domain/ports/definitions/inventory.ts';
import type { Condition, FactoryView } from '../../domain/reconciliation.ts';
import type { Registry } from '../../ingress/registry/registry.ts';
import type { Notifier } from '../../outbound/notify/notifier.ts';
import {
  describeNothingStarts,
  describeNotify,
  describeRecordFailure,
  describeStartFailure,
  describeUnconfigured,
} from '../../reconcile/conditions.ts';
import type { Dispatcher } from '../../runs/dispatcher.ts';
import { findFailing } from './failing-conditions.ts';
import type { LiveConditions } from './live-conditions.ts';
import type { RunSecrets } from './run-secrets.ts';

interface Sources {
  /** The targets that cannot be reached, and the hosts that cannot be asked for pull requests. */
  notifyFailures: Notifier['failures'];
  dispatcher: Pick<Dispatcher, 'startFailure' | 'recordFailure'>;
  conditions: LiveConditions;
  runSecrets: RunSecrets;
  registry: Pick<Registry, 'canStart'>;
  /** Is the factory in the configuration? */
  isConfigured(factory: string): boolean;
}

/** The inventory as people and scripts see it: with the conditions that the daemon knows and no pass stores. */
export function addLiveConditions(inventory: InventoryReader, sources: Sources): InventoryReader {
  const { runSecrets } = sources;
  const describeLive = async (factory: string, failing: readonly Condition[]) => [
    ...sources.conditions.ofFactory(factory),
    ...(await runSecrets.conditionsOf(factory)),
    ...describeStartFailure(sources.dispatcher.startFailure(factory)),
    ...describeRecordFailure(sources.dispatcher.recordFailure(factory)),
    ...describeNotify(sources.notifyFailures(factory)),
    ...failing,
    ...sources.conditions.ofDaemon(),
  ];
  /** Deliveries are accepted, and none starts anything. Counts only in this rare case. */
  const describeIdle = async ({ name, appliedAt }: Pick<FactoryView, 'name' | 'appliedAt'>) => {
    if (appliedAt === null || sources.registry.canStart(name)) return [];
    return describeNothingStarts((await inventory.counts(name)).automations, appliedAt);
  };
  return {
    ...inventory,
    factories: async () => {
      const [factories, failingOf] = await Promise.all([inventory.factories(), findFailing(inventory)]);
      return Promise.all(
        factories.map(async (factory) => {
          const { name } = factory;
          if (!sources.isConfigured(name)) return { ...factory, conditions: [describeUnconfigured(factory)] };
          const live = await describeLive(name, [...(await describeIdle(factory)), ...failingOf(name)]);
          return { ...factory, conditions: [...factory.conditions, ...live] };
        }),
      );
    },
    automations: async (factory) => {
      const automations = await inventory.automations(factory);
      return Promise.all(automations.map((automation) => runSecrets.renew(automation)));
    },
    automation: async (factory, name) => {
      const automation = await inventory.automation(factory, name);
      return automation && runSecrets.renew(automation);
    },
  };
}
