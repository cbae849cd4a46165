import { randomBytes } from 'node:crypto';
import type { GroupState } from '../domain/ports/replicas.ts';
import { Registry } from '../ingress/registry/registry.ts';
import { EventHub } from '../operations/events/event-hub.ts';
import { createEventSources } from '../operations/events/feed-events.ts';
import { createMetricProbes } from '../operations/observability/metrics/create-metric-probes.ts';
import { createMetrics } from '../operations/observability/metrics/metrics.ts';
import { createNotifier } from '../outbound/notify/create-notifier.ts';
import { readBuildIdentity } from '../platform/files/build-identity.ts';
import { createAlerts } from './create-alerts.ts';
import { createBackups } from './create-backups.ts';
import type { Lifetime } from './lifetime.ts';
import type { DaemonState } from './open-daemon-state.ts';
import { openTracing } from './open-tracing.ts';

/** Who reports what a daemon does: metrics, traces, events, notifications, backups. */
export type DaemonObservers = Awaited<ReturnType<typeof observeDaemon>>;

/**
 * Creates the observers, and the registry of live webhooks that names what they report.
 *
 * @param hurry aborted when a stop has to hurry
 * @param readGroup called by scrapes, when the daemon has joined the group
 */
export async function observeDaemon(
  state: DaemonState,
  hurry: AbortSignal,
  lifetime: Lifetime,
  readGroup: () => GroupState,
) {
  const { config, env, paths, storage, sealed, isConfigured, clock, steadyClock, ids, logger } = state;
  const build = readBuildIdentity();
  const backups = await createBackups({ config, paths, env, logger }, lifetime);
  const probes = createMetricProbes({
    storage,
    dataDir: config.dataDir,
    isConfigured,
    lastBackup: backups.lastTimes,
    alertCounts: () => alerts.counts(),
    group: readGroup,
    factoryBudgets: () =>
      config.factories.flatMap(({ name: factory, runs: { budget } }) => (budget === null ? [] : [{ factory, budget }])),
    nowMs: () => clock.wallMs(),
  });
  const metrics = createMetrics({ probes, writes: state.measures, build });
  const tracing = await openTracing({ config, env, metrics, version: build.version, hurry, logger }, lifetime);
  const registry = new Registry();
  const events = new EventHub(clock, Buffer.from(randomBytes(6)).toString('hex'));
  const findWebhook = (ref: number) => registry.findSourceByRef(ref);
  const sources = createEventSources({
    hub: events,
    findWebhook,
    runs: storage.runReader,
    deliveries: storage.deliveryReader,
    logger,
  });
  const notifier = createNotifier({
    config,
    storage,
    secrets: sealed.secrets,
    metrics,
    clock: steadyClock,
    ids,
    logger,
  });
  const alerts = createAlerts({
    config,
    storage,
    secrets: sealed.secrets,
    registry,
    backups: backups.scheduled,
    metrics,
    clock: steadyClock,
    ids,
    logger,
  });
  return { build, backups, metrics, tracing, registry, events, sources, notifier, alerts };
}
