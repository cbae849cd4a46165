import { collectDefaultMetrics, type Registry } from 'prom-client';

/** Gauges whose names end like those of counters. The same values are in metrics without this ending. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** The standard metrics of a process of Node.js, without those that `promtool check metrics` rejects. */
export function registerProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
}
