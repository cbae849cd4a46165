import { randomBytes } from 'node:crypto';
import type { Part } from '../domain/part.ts';
import { Registry } from '../ingress/registry/registry.ts';
import { createBackups } from '../operations/backup/create-backups.ts';
import { EventHub } from '../operations/events/event-hub.ts';
import { createEventSources, type EventSources } from '../operations/events/feed-events.ts';
import { createMetricProbes } from '../operations/observability/metrics/create-metric-probes.ts';
import type { MetricProbes } from '../operations/observability/metrics/metric-probes.ts';
import { createMetrics } from '../operations/observability/metrics/metrics.ts';
import { openTracing } from '../operations/observability/tracing/open-tracing.ts';
import type { Replicas } from '../storage/replicas/join-replicas.ts';
import type { DaemonState } from './open-daemon-state.ts';

/** Who reports what a daemon does: metrics, traces, events, backups. */
export type DaemonObservers = Awaited<ReturnType<typeof observeDaemon>>;

/** What a scrape can only ask once the rest of the daemon exists. */
type LateProbes = Pick<MetricProbes, 'alertCounts'>;

/** Creates the observers, and the registry of live webhooks that names what they report. */
export async function observeDaemon(state: DaemonState, { group }: Replicas, late: LateProbes) {
  const { config, env, paths, storage, isConfigured, build, clock, parts, logger } = state;
  const backups = await createBackups({ config, paths, env, logger });
  const probes = createMetricProbes({
    storage,
    dataDir: config.dataDir,
    isConfigured,
    lastBackup: backups.lastTimes,
    alertCounts: late.alertCounts,
    group: () => group.state(),
    factoryBudgets: () =>
      config.factories.flatMap(({ name: factory, runs: { budget } }) => (budget === null ? [] : [{ factory, budget }])),
    nowMs: () => clock.wallMs(),
  });
  const metrics = createMetrics({ probes, writes: state.measures, build });
  const tracing = await openTracing({ config, env, metrics, version: build.version, logger });
  const registry = new Registry();
  const events = new EventHub(clock, Buffer.from(randomBytes(6)).toString('hex'));
  const sources = createEventSources({
    hub: events,
    findWebhook: (ref) => registry.findSourceByRef(ref),
    runs: storage.runReader,
    deliveries: storage.deliveryReader,
    logger,
  });
  parts.add({ name: 'backups', stop: () => backups.stop() });
  parts.add({ name: 'tracing', stop: ({ hurry }) => tracing?.stop(hurry) });
  parts.add(feedEvents(sources));
  return { backups, metrics, tracing, registry, events };
}

/** The events that clients of the management API receive. */
function feedEvents(sources: EventSources): Part {
  return {
    name: 'events',
    on: {
      deliveryRecorded: ({ entry, outcome }) => sources.onRecorded(entry, outcome),
      deliveriesRecordedElsewhere: ({ deliveries }) => sources.onRecordedElsewhere(deliveries),
      runsChanged: ({ runs }) => sources.onRunsChanged(runs),
      reconciled: (reconciliation) => sources.onReconciled(reconciliation),
      pullRequestsChanged: ({ factory }) => sources.onPullRequestsChanged(factory),
    },
  };
}
