import type { FactoryControl } from '../domain/ports/definitions.ts';
import type { InventoryReader } from '../domain/ports/inventory.ts';
import type { PauseControl } from '../domain/ports/pauses.ts';
import type { KnownWebhooks } from '../ingress/registry/known-webhooks.ts';
import type { Alerts } from '../outbound/alerts/create-alerts.ts';
import type { Metrics } from './observability/metrics/metrics.ts';

/** What the thread that serves deliveries knows of factories. */
export interface FactoryFollowers {
  known: KnownWebhooks;
  metrics: Pick<Metrics, 'forgetFactory'>;
  inventory: Pick<InventoryReader, 'webhookNames'>;
  pauses: Pick<PauseControl, 'reload'>;
  alerts: Pick<Alerts, 'onFactoryRenamed'>;
  /** Queued runs of this factory can start. */
  onRunsQueued(factory: string): void;
}

/** Forgets and renames factories in the reconcile thread, and then in this one. */
export function controlFactories(
  control: FactoryControl,
  { known, metrics, inventory, pauses, alerts, onRunsQueued }: FactoryFollowers,
): FactoryControl {
  const forgetName = (factory: string) => {
    known.forgetFactory(factory);
    metrics.forgetFactory(factory);
  };
  return {
    forget: async (factory) => {
      const forgotten = await control.forget(factory);
      forgetName(factory);
      await pauses.reload();
      return forgotten;
    },
    rename: async (from, to) => {
      const reconciliation = await control.rename(from, to);
      forgetName(from);
      const names = await inventory.webhookNames();
      known.load(
        names.filter(({ factory }) => factory === to),
        () => true,
      );
      await pauses.reload();
      await alerts.onFactoryRenamed();
      onRunsQueued(to);
      return reconciliation;
    },
  };
}
