import { statfs } from 'node:fs/promises';
import type { FactoryStatus } from '../../../domain/applies/reconciliation.ts';
import type { InventoryReader, RunTotals } from '../../../domain/ports/inventory.ts';
import type { Storage } from '../../../domain/ports/storage.ts';
import type { BudgetTerms } from '../../../domain/runs/run-policy.ts';
import type { MetricProbes } from './metric-probes.ts';
import { MAX_NAMED_AUTOMATIONS } from './named-series.ts';

/** Number of automations of one read. */
const PAGE = 500;

interface ProbeParts {
  storage: Pick<Storage, 'inventoryReader' | 'runReader'>;
  dataDir: string;
  /** Whether a factory is in the configuration. The others are never ready. */
  isConfigured(factory: string): boolean;
  lastBackup: MetricProbes['lastBackup'];
  alertCounts: MetricProbes['alertCounts'];
  group: MetricProbes['group'];
  /** Of the factories whose configuration has one. */
  factoryBudgets(): { factory: string; budget: BudgetTerms }[];
  nowMs(): number;
}

/** What a scrape asks the storage and the file system. */
export function createMetricProbes(parts: ProbeParts): MetricProbes {
  const { storage, dataDir, isConfigured, lastBackup, alertCounts, group, factoryBudgets, nowMs } = parts;
  const { inventoryReader, runReader } = storage;
  return {
    lastBackup,
    alertCounts,
    group,
    countRuns: async () => {
      const factories = await inventoryReader.factories();
      const counts = await Promise.all(factories.map((factory) => inventoryReader.counts(factory.name)));
      const sum = (pick: (count: (typeof counts)[number]) => number) =>
        counts.reduce((all, count) => all + pick(count), 0);
      return { queued: sum((count) => count.queuedRuns), running: sum((count) => count.runningRuns) };
    },
    factories: async () => {
      const factories = await inventoryReader.factories();
      return factories.map((factory) => ({
        factory: factory.name,
        isReady: isConfigured(factory.name) && isReady(factory),
        appliedAt: factory.appliedAt,
      }));
    },
    webhookTraffic: async () => {
      const factories = await inventoryReader.factories();
      const lists = await Promise.all(factories.map(({ name }) => inventoryReader.webhooks(name)));
      return lists.flat().map(({ factory, name: webhook, traffic }) => ({ factory, webhook, traffic }));
    },
    runTotals: () => readRunTotals(inventoryReader),
    queueAges: async () => {
      const factories = await inventoryReader.factories();
      const now = nowMs();
      return Promise.all(
        factories.map(async ({ name: factory }) => {
          const [oldest] = await runReader.oldestQueued(factory);
          return { factory, ageMs: oldest === undefined ? 0 : Math.max(0, now - oldest.createdAt) };
        }),
      );
    },
    budgets: async () => {
      const at = nowMs();
      const ofFactories = factoryBudgets().map(async ({ factory, budget: { runs: limit, perMs } }) => {
        return { factory, automation: '', limit, used: await runReader.factoryStarts({ factory, at, perMs }) };
      });
      const ofAutomations = await runReader.automationBudgets({ at, limit: MAX_NAMED_AUTOMATIONS });
      const configured = ofAutomations.filter(({ factory }) => isConfigured(factory));
      return [...(await Promise.all(ofFactories)), ...configured];
    },
    diskSpace: async () => {
      const { bavail, blocks, bsize } = await statfs(dataDir);
      return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
    },
  };
}

/** One page after another, so that deliveries are written in between. */
async function readRunTotals({ runTotals }: Pick<InventoryReader, 'runTotals'>): Promise<RunTotals[]> {
  const all: RunTotals[] = [];
  for (;;) {
    const page = await runTotals(all[all.length - 1] ?? null, PAGE);
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

function isReady({ conditions }: FactoryStatus): boolean {
  const holds = (type: string) =>
    conditions.some((condition) => condition.type === type && condition.status === 'True');
  return holds('Ready') && holds('Reconciled');
}
