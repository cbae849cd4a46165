import { setFlagsFromString } from 'node:v8';

/**
 * Gives threads that start later 4 MiB for new objects from the beginning. Otherwise a thread that released memory could
 * not grow again after `limitYoungGeneration`.
 */
export function sizeYoungGenerations(): void {
  setFlagsFromString('--min-semi-space-size=4');
}

/**
 * Keeps the memory for new objects of each thread at its current size. V8 lets it grow to 48 MiB per thread under load, and
 * does not return it. Most objects of a request end with it, so a small space is collected more often, but as fast.
 */
export function limitYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
