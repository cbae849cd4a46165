import { measureCpuMs } from './measure-cpu.ts';

/** Lower values are noise: a linear scan of a few thousand characters takes microseconds. */
const NOISE_MS = 5;

/** Between linear and quadratic: work that grows faster than this is not linear. */
export const LINEAR_GROWTH = 40;

/** A garbage collection in one measurement must not fail a test. Quadratic work is slow in each. */
const MEASUREMENTS = 4;

/**
 * Returns how the processor time of `act` grows from an input of `length` to one of 16 times `length`: the lowest of a few
 * measurements. About 16 or less for linear work, about 256 for quadratic work. The ratio does not depend on the speed or
 * load of the machine.
 */
export function measureGrowth(length: number, act: (length: number) => void): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (let measured = 0; measured < MEASUREMENTS && lowest >= LINEAR_GROWTH; measured += 1) {
    const short = measureCpuMs(() => act(length));
    const long = measureCpuMs(() => act(length * 16));
    lowest = Math.min(lowest, long / Math.max(short, NOISE_MS));
  }
  return lowest;
}
