import type { InventoryReader } from '../core/ports/inventory.ts';
import type { Notifier } from '../notify/notifier.ts';
import { describeNotify, describeStartFailure } from '../reconcile/conditions.ts';
import type { Dispatcher } from '../run/dispatcher.ts';

interface Sources {
  notifier: Pick<Notifier, 'failures'>;
  dispatcher: Pick<Dispatcher, 'startFailure'>;
}

/** The inventory as people and scripts see it: with the conditions that the daemon knows and no pass stores. */
export function addLiveConditions(inventory: InventoryReader, { notifier, dispatcher }: Sources): InventoryReader {
  const describeLive = (factory: string) => [
    ...describeStartFailure(dispatcher.startFailure(factory)),
    ...describeNotify(notifier.failures(factory)),
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
