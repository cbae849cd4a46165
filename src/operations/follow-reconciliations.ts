import type { Config } from '../config/config.ts';
import type { Part } from '../domain/part.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { Registry } from '../ingress/registry/registry.ts';
import { createMissingExecutorWarning, createReconciliationLog } from './observability/log-reconciliations.ts';
import type { Metrics } from './observability/metrics/metrics.ts';
import { createFactoryStatus } from './systemd/factory-status.ts';
import type { ServiceNotifier } from './systemd/service-notifier.ts';

interface ReconciliationLogParts {
  config: Config;
  registry: Registry;
  metrics: Pick<Metrics, 'countReconciliation' | 'keepWebhooks'>;
  service: Pick<ServiceNotifier, 'status'>;
  logger: Logger;
}

/** Shows each reconciliation in the log, the metrics and the status of the service. */
export function followReconciliations({ config, registry, metrics, service, logger }: ReconciliationLogParts): Part {
  const showStatus = createFactoryStatus(() => config.factories, service.status);
  const logReconciliation = createReconciliationLog(logger, (factory) =>
    [...registry.current().webhooks.values()].some((webhook) => webhook.factory === factory),
  );
  const warnOfMissingExecutor = createMissingExecutorWarning(config, logger);
  return {
    name: 'reports of reconciliations',
    on: {
      reconciled: (reconciliation) => {
        showStatus(reconciliation);
        metrics.countReconciliation(reconciliation.factory, reconciliation.result);
        metrics.keepWebhooks(registry.current().webhooks);
        logReconciliation(reconciliation);
        warnOfMissingExecutor(reconciliation);
      },
    },
  };
}
