import type { Serving } from '../../domain/ports/definitions.ts';
import type { AssignedNumbers } from '../../domain/ports/inventory.ts';
import type { LiveFactories } from './live-factories.ts';

/**
 * Applies and serves changes of definitions. A change is live before its outcome can be read from the storage.
 *
 * @param write writes the rows of a change, as `Inventory.apply`
 * @param onApplied a change of this factory was written, and is live; `version` as `AssignedNumbers.liveVersion`
 */
export function createServing<Change>(
  write: (change: Change) => Promise<AssignedNumbers>,
  live: LiveFactories,
  onApplied: (factory: string, version: number | undefined) => void = () => {},
): Serving<Change> {
  return {
    stage: async (part) => {
      live.stage(part);
      // The next part comes with the answer to this one. Deliveries that wait go first.
      await new Promise(setImmediate);
    },
    apply: async (change, served) => {
      const numbers = await write(change);
      live.goLive(served, numbers);
      onApplied(served.factory, numbers.liveVersion);
      return numbers;
    },
    serve: async (served) => live.goLive(served),
  };
}
