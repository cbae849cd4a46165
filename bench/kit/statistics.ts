/** The middle value of an odd number of samples, the mean of both middle values of an even number. `NaN` for none. */
export function takeMedian(samples: readonly number[]): number {
  const sorted = sortNumbers(samples);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The value below which this share of the samples lies. `NaN` for none. */
export function takePercentile(samples: readonly number[], share: number): number {
  const sorted = sortNumbers(samples);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** A loop, because the arguments of one call of `Math.max` are limited. `NaN` for none. */
export function takeLargest(samples: readonly number[]): number {
  return samples.reduce((largest, sample) => Math.max(largest, sample), samples[0] ?? Number.NaN);
}

/** As `takeLargest`. */
export function takeSmallest(samples: readonly number[]): number {
  return samples.reduce((smallest, sample) => Math.min(smallest, sample), samples[0] ?? Number.NaN);
}

function sortNumbers(samples: readonly number[]): Float64Array {
  return Float64Array.from(samples).sort();
}
