import type { Storage } from '../core/ports/storage.ts';
import type { FactoryStatus } from '../core/reconciliation.ts';
import type { MetricProbes } from '../observability/metrics.ts';

/**
 * What a scrape asks the storage.
 *
 * @param isConfigured whether a factory is in the configuration. The others are never ready.
 */
export function createMetricProbes(
  { inventoryReader }: Pick<Storage, 'inventoryReader'>,
  isConfigured: (factory: string) => boolean,
): MetricProbes {
  return {
    countRuns: async () => {
      const factories = await inventoryReader.factories();
      const counts = await Promise.all(factories.map((factory) => inventoryReader.counts(factory.name)));
      const sum = (pick: (count: (typeof counts)[number]) => number) =>
        counts.reduce((all, count) => all + pick(count), 0);
      return { queued: sum((count) => count.queuedRuns), running: sum((count) => count.runningRuns) };
    },
    factoryReadiness: async () => {
      const factories = await inventoryReader.factories();
      return factories.map((factory) => ({
        factory: factory.name,
        isReady: isConfigured(factory.name) && isReady(factory),
      }));
    },
  };
}

function isReady({ conditions }: FactoryStatus): boolean {
  const holds = (type: string) =>
    conditions.some((condition) => condition.type === type && condition.status === 'True');
  return holds('Ready') && holds('Reconciled');
}
