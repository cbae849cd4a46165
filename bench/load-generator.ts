import { generateLoad, type LoadOrder } from './generate-load.ts';

/** A process that takes one load from its parent, sends its result, and ends. */
process.once('message', (order: LoadOrder) => {
  void generateLoad(order).then((result) => process.send?.(result, () => process.exit()));
});
