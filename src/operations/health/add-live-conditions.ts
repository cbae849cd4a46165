import type { Condition, FactoryView } from '../../domain/applies/reconciliation.ts';
import { type ConditionState, describeCondition } from '../../domain/conditions.ts';
import type { Failing, InventoryReader } from '../../domain/ports/inventory.ts';
import type { Registry } from '../../ingress/registry/registry.ts';
import type { LiveConditions } from './live-conditions.ts';
import type { RunSecrets } from './run-secrets.ts';

interface Sources {
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
    ...sources.conditions.datedOf(factory),
    ...failing,
    ...sources.conditions.ofDaemon(),
  ];
  /** Deliveries are accepted, and none starts anything. Counts only in this rare case. */
  const describeIdle = async ({ name, appliedAt }: Pick<FactoryView, 'name' | 'appliedAt'>) => {
    if (appliedAt === null || sources.registry.canStart(name)) return [];
    const { automations } = await inventory.counts(name);
    return automations === 0 ? [] : [{ ...describeCondition('NotServed', automations), since: appliedAt }];
  };
  return {
    ...inventory,
    factories: async () => {
      // One read answers for all factories.
      const [factories, failing] = await Promise.all([inventory.factories(), inventory.failing()]);
      return Promise.all(
        factories.map(async (factory) => {
          const { name } = factory;
          if (!sources.isConfigured(name)) return { ...factory, conditions: [describeUnconfigured(factory)] };
          const live = await describeLive(name, [...(await describeIdle(factory)), ...describeFailing(failing, name)]);
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

/** Nothing of the factory is served, regardless of what its last pass stored. */
function describeUnconfigured({ name, attemptedAt, conditions }: FactoryView): Condition {
  const since = conditions.find(({ type }) => type === 'Ready')?.since ?? attemptedAt ?? 0;
  return { ...describeCondition('NotConfigured', name), since };
}

/** The conditions of the factory that its recent deliveries and runs cause. */
function describeFailing({ webhooks, automations }: Failing, name: string): Condition[] {
  const rejecting = webhooks.flatMap(({ factory, name: webhook, traffic: { lastAcceptedAt, credentialFailure } }) =>
    factory === name && credentialFailure !== null
      ? [{ name: webhook, lastAcceptedAt, failure: credentialFailure }]
      : [],
  );
  const failing = automations.flatMap(({ factory, name: automation, results: { failedInARow, failingSince } }) =>
    factory === name && failingSince !== null ? [{ name: automation, failedInARow, failingSince }] : [],
  );
  const rejectingSince = rejecting.map(({ failure }) => failure.since);
  const failingSince = failing.map((automation) => automation.failingSince);
  return [
    ...dateFirst(describeCondition('CredentialRejected', rejecting), rejectingSince),
    ...dateFirst(describeCondition('LastRunsFailed', failing), failingSince),
  ];
}

/** The condition since the first of the failures that cause it; none if nothing failed. */
function dateFirst(condition: ConditionState, failedAt: readonly number[]): Condition[] {
  return failedAt.length === 0 ? [] : [{ ...condition, since: Math.min(...failedAt) }];
}
