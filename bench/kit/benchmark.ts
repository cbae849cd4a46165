/** Options of one run. A benchmark that has no rounds or no fixed duration ignores them. */
export interface BenchOptions {
  rounds: number;
  /** Duration of one measurement in one round. */
  seconds: number;
  /** Smallest sizes: shows that the benchmark works. Its figures are meaningless. */
  isQuick: boolean;
  /** Folder of another checkout that has been built. Only `compare` uses it. */
  baseline: string | null;
}

/** A file `bench/NAME.ts` exports one as `benchmark`. */
export interface Benchmark {
  /** One line for the list of benchmarks. */
  summary: string;
  /** Whether the figures include waiting for the disk. The report then shows the duration of an fsync. */
  isDurable: boolean;
  defaults: Pick<BenchOptions, 'rounds' | 'seconds'>;
  /** Rejects on every unexpected answer: the figures of such a run are meaningless. */
  run(options: BenchOptions): Promise<Table[]>;
}

/** A table of figures that were measured in turns. */
export interface Table {
  title: string;
  /** How the figures were measured: sizes, resolution, and what they exclude. */
  notes: string[];
  rows: Row[];
}

/** One figure, with one sample for each round. */
export interface Row {
  measure: string;
  unit: Unit;
  samples: number[];
  target?: Target;
}

export type Unit = 'ms' | 'µs' | 's' | '/s' | 'MiB' | '×' | '%' | '';

/** Applies to the median, unless `of` is set. */
export interface Target {
  atMost?: number;
  atLeast?: number;
  stretch?: number;
  of?: 'maximum';
}

export function row(measure: string, unit: Unit, samples: number[], target?: Target): Row {
  return { measure, unit, samples, ...(target && { target }) };
}

/** The ratios of samples that were measured in the same rounds. */
export function divide(samples: readonly number[], by: readonly number[]): number[] {
  return samples.map((sample, round) => sample / by[round]!);
}
