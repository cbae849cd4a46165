import type { Config } from '../config/config.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { ReconciliationEnd } from '../domain/reconciliation.ts';
import type { Registry } from '../ingress/registry/registry.ts';
import type { EventSources } from '../operations/events/feed-events.ts';
import type { RunSecrets } from '../operations/health/run-secrets.ts';
import {
  createMissingExecutorWarning,
  createReconciliationLog,
} from '../operations/observability/log-reconciliations.ts';
import type { Metrics } from '../operations/observability/metrics/metrics.ts';
import { createFactoryStatus } from '../operations/systemd/factory-status.ts';
import type { ServiceNotifier } from '../operations/systemd/service-notifier.ts';
import type { Notifier } from '../outbound/notify/notifier.ts';
import type { RequestChecks } from '../reconcile/pull-requests/create-request-checks.ts';
import type { Alerts } from './create-alerts.ts';

export interface ReconciliationListenerParts {
  config: Config;
  registry: Registry;
  notifier: Notifier;
  alerts: Pick<Alerts, 'onReconciled'>;
  requestChecks: Pick<RequestChecks, 'onReconciled'>;
  metrics: Metrics;
  runSecrets: RunSecrets;
  sources: EventSources;
  service: ServiceNotifier;
  logger: Logger;
}

/** Everything that follows each reconciliation. */
export function followReconciliations(parts: ReconciliationListenerParts): (reconciliation: ReconciliationEnd) => void {
  const { config, registry, notifier, alerts, requestChecks, metrics, runSecrets, sources, service, logger } = parts;
  const showStatus = createFactoryStatus(() => config.factories, service.status);
  const logReconciliation = createReconciliationLog(logger, (factory) =>
    [...registry.current().webhooks.values()].some((webhook) => webhook.factory === factory),
  );
  const warnOfMissingExecutor = createMissingExecutorWarning(config, logger);
  return (reconciliation) => {
    showStatus(reconciliation);
    metrics.countReconciliation(reconciliation.factory, reconciliation.result);
    if (reconciliation.result === 'applied') runSecrets.onApplied(reconciliation.factory);
    logReconciliation(reconciliation);
    warnOfMissingExecutor(reconciliation);
    notifier.offer(reconciliation);
    alerts.onReconciled(reconciliation);
    requestChecks.onReconciled(reconciliation.factory);
    sources.onReconciled(reconciliation);
    metrics.keepWebhooks(registry.current().webhooks);
  };
}
