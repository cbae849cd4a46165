import type { InventoryReader } from '../core/ports/definitions/inventory.ts';
import type { Notifier } from '../notify/notifier.ts';
import { describeNotify, describeStartFailure } from '../reconcile/conditions.ts';
import type { Dispatcher } from '../run/dispatcher.ts';
import type { LiveConditions } from './live-conditions.ts';

interface Sources {
  notifier: Pick<Notifier, 'failures'>;
  dispatcher: Pick<Dispatcher, 'startFailure'>;
  conditions: LiveConditions;
}

/** The inventory as people and scripts see it: with the conditions that the daemon knows and no pass stores. */
export function addLiveConditions(inventory: InventoryReader, sources: Sources): InventoryReader {
  const describeLive = (factory: string) => [
    ...sources.conditions.ofFactory(factory),
    ...describeStartFailure(sources.dispatcher.startFailure(factory)),
    ...describeNotify(sources.notifier.failures(factory)),
    ...sources.conditions.ofDaemon(),
  ];
  return {
    ...inventory,
    factories: async () => {
      const factories = await inventory.factories();
      return factories.map((factory) => ({
        ...factory,
        conditions: [...factory.conditions, ...describeLive(factory.name)],
      }));
    },
  };
}
