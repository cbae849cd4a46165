import type { InventoryReader } from '../core/ports/definitions/inventory.ts';
import type { FactoryControl } from '../core/ports/definitions/reconciler.ts';
import type { KnownWebhooks } from '../registry/known-webhooks.ts';

/** What the thread that serves deliveries knows of factories. */
export interface FactoryFollowers {
  known: KnownWebhooks;
  inventory: Pick<InventoryReader, 'webhookNames'>;
  /** Queued runs of this factory can start. */
  onRunsQueued(factory: string): void;
}

/** Forgets and renames factories in the reconcile thread, and then in this one. */
export function controlFactories(
  control: FactoryControl,
  { known, inventory, onRunsQueued }: FactoryFollowers,
): FactoryControl {
  return {
    forget: async (factory) => {
      const forgotten = await control.forget(factory);
      known.forgetFactory(factory);
      return forgotten;
    },
    rename: async (from, to) => {
      const reconciliation = await control.rename(from, to);
      known.forgetFactory(from);
      const names = await inventory.webhookNames();
      known.load(
        names.filter(({ factory }) => factory === to),
        () => true,
      );
      onRunsQueued(to);
      return reconciliation;
    },
  };
}
