import { setTimeout as pause } from 'node:timers/promises';
import type { Storage } from '../../src/domain/ports/storage.ts';
import { buildOffer } from '../../test/helpers/build-offer.ts';

const PAUSE_MS = 5;

/** Writes a new delivery every few milliseconds during `act`. Returns the time until each was durable, in milliseconds. */
export async function watchBatches(
  storage: Pick<Storage, 'deliveryLog'>,
  webhook: number,
  act: () => Promise<void>,
): Promise<number[]> {
  const waits: number[] = [];
  let isOver = false;
  const loop = (async () => {
    while (!isOver) {
      const offer = buildOffer({ webhook, at: Date.now() });
      const sentMs = performance.now();
      const [outcome] = await storage.deliveryLog.record([offer]);
      waits.push(performance.now() - sentMs);
      if (outcome?.label !== 'Accepted') throw new Error(`a delivery was recorded as ${JSON.stringify(outcome)}`);
      await pause(PAUSE_MS);
    }
  })();
  await act();
  isOver = true;
  await loop;
  return waits;
}
