import { generateLoad, type LoadOrder } from './generate-load.ts';

/** A process that takes one load from its parent, sends `'warm'` after the warm-up and then its result, and ends. */
process.once('message', async (order: LoadOrder) => {
  const result = await generateLoad(order, () => process.send?.('warm'));
  process.send?.(result, () => process.exit());
});
