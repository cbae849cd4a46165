import type { Inventory } from '../core/ports/definitions/inventory.ts';
import type { Serving } from '../core/ports/definitions/serving.ts';
import type { LiveFactories } from './live-factories.ts';

/** Applies and serves changes of definitions. A change is live before its outcome can be read from the storage. */
export function createServing(inventory: Pick<Inventory, 'apply'>, live: LiveFactories): Serving {
  return {
    stage: async (part) => live.stage(part),
    apply: async (change, served) => {
      const numbers = await inventory.apply(change);
      live.goLive(served, numbers);
      return numbers;
    },
    serve: async (served) => live.goLive(served),
  };
}
