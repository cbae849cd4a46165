import { collectDefaultMetrics, Registry } from 'prom-client';

/** Gauges whose names end like those of counters. The same values are in metrics without this ending. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Of this process. Their observers cannot be removed, so all daemons that one process starts share them. */
let shared: Registry | null = null;

/** The standard metrics of a process of Node.js, without those that `promtool check metrics` rejects. */
export function registerProcessMetrics(registry: Registry): void {
  shared ??= collectProcessMetrics();
  for (const { name } of shared.getMetricsAsArray()) registry.registerMetric(shared.getSingleMetric(name)!);
}

function collectProcessMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return registry;
}
