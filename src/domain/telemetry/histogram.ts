/** What a histogram counted, as Prometheus shows it. */
interface HistogramReading {
  /** For each bound: the number of values that are not larger. */
  upTo: number[];
  count: number;
  sum: number;
}

/**
 * Counts values in fixed buckets. To observe a value allocates nothing and takes some nanoseconds, so it is cheap enough for
 * each delivery. One thread observes; every thread with the same memory can read.
 */
export class Histogram {
  readonly bounds: readonly number[];
  /** The count of each bucket, of larger values, and the sum of all values. */
  readonly #cells: Float64Array;

  /**
   * @param bounds in ascending order
   * @param memory from `allocateHistogram`, if another thread reads or observes
   */
  constructor(bounds: readonly number[], memory: ArrayBufferLike = new ArrayBuffer(sizeOf(bounds))) {
    this.bounds = bounds;
    this.#cells = new Float64Array(memory);
  }

  observe(value: number): void {
    const { bounds } = this;
    const cells = this.#cells;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket += 1;
    cells[bucket]! += 1;
    cells[bounds.length + 1]! += value;
  }

  read(): HistogramReading {
    const last = this.bounds.length;
    let count = 0;
    const upTo = this.bounds.map((_, bucket) => {
      count += this.#cells[bucket]!;
      return count;
    });
    return { upTo, count: count + this.#cells[last]!, sum: this.#cells[last + 1]! };
  }
}

/** Memory of a histogram for several threads. */
export function allocateHistogram(bounds: readonly number[]): SharedArrayBuffer {
  return new SharedArrayBuffer(sizeOf(bounds));
}

function sizeOf(bounds: readonly number[]): number {
  return (bounds.length + 2) * Float64Array.BYTES_PER_ELEMENT;
}
