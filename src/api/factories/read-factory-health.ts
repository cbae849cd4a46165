import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { ListedReplica, ReplicaGroup } from '../../domain/ports/replicas.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { presentResults } from '../automations/present-results.ts';
import type { CountRequests } from '../webhooks/count-requests.ts';
import { presentTraffic } from '../webhooks/present-traffic.ts';

/** Maximum number of automations in each list. A factory may have thousands. */
const MAX_LISTED = 20;

export interface FactoryHealthParts {
  inventory: Pick<InventoryReader, 'webhooks' | 'failedAutomations'>;
  runs: Pick<RunReader, 'oldestQueued'>;
  countRequests: CountRequests;
  group: Pick<ReplicaGroup, 'list'>;
}

export type FactoryHealth = Awaited<ReturnType<typeof readFactoryHealth>>;

/**
 * What happened in a factory: to the requests of each webhook, and to the runs of automations that need attention.
 *
 * @param replicas from `group`
 */
export async function readFactoryHealth(
  { inventory, runs, countRequests }: FactoryHealthParts,
  factory: string,
  replicas: readonly ListedReplica[],
) {
  const [webhooks, requests, failed, queued] = await Promise.all([
    inventory.webhooks(factory),
    countRequests(factory),
    inventory.failedAutomations(factory, MAX_LISTED),
    runs.oldestQueued(factory),
  ]);
  return {
    webhooks: webhooks.map(({ uid, name, enabled, traffic }) => ({
      uid,
      name,
      enabled,
      traffic: presentTraffic(traffic, requests.get(uid)),
    })),
    failed_automations: failed.map(({ automation, results }) => ({
      name: automation,
      results: presentResults(results),
    })),
    queue: queued.slice(0, MAX_LISTED).map(({ automation, createdAt }) => ({
      automation,
      oldest_queued_at: formatInstant(createdAt),
    })),
    replicas_behind: replicas.filter(({ isAlive, behind }) => isAlive && behind.includes(factory)).length,
  };
}
