import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves of the memory for new objects of the thread that serves HTTP. */
const YOUNG_BYTES = 64 * 1_024 * 1_024;

/**
 * Gives threads that start later 4 MiB for new objects from the beginning. Otherwise a thread that released memory could
 * not grow again after `limitYoungGeneration`.
 */
export function sizeYoungGenerations(): void {
  setFlagsFromString('--min-semi-space-size=4');
}

/**
 * Stops the growth of the memory for new objects, in all threads, when that of this thread has 64 MiB. Under load and at a
 * start with many automations, V8 lets it grow to 128 MiB, and does not return it. Most objects of a request end with it, so a
 * small space is collected more often, but as fast, and the objects of an apply make shorter pauses. V8 doubles the space
 * in a collection, so each collection is followed until it has the size.
 */
export function limitYoungGeneration(): void {
  const collections = new PerformanceObserver(() => {
    if (readYoungBytes() < YOUNG_BYTES) return;
    collections.disconnect();
    setFlagsFromString('--semi-space-growth-factor=1');
  });
  collections.observe({ entryTypes: ['gc'] });
}

function readYoungBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')!.space_size;
}
