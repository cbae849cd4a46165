import { allocateHistogram, Histogram } from './histogram.ts';

/** What the storage measures of the transactions that record deliveries. */
export interface WriteMeasures {
  /** Entries of the delivery log in one transaction. */
  batchSize: Histogram;
  /** Seconds of the commit, which includes the fsync. */
  commitSeconds: Histogram;
}

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** The memory of the measures, for the thread that writes and the one that reads. */
export interface SharedMeasures {
  batchSize: SharedArrayBuffer;
  commitSeconds: SharedArrayBuffer;
}

export function allocateMeasures(): SharedMeasures {
  return { batchSize: allocateHistogram(BATCH_SIZES), commitSeconds: allocateHistogram(COMMIT_SECONDS) };
}

/** @param memory from `allocateMeasures`; if omitted, only this thread has the measures */
export function openMeasures(memory: SharedMeasures = allocateMeasures()): WriteMeasures {
  return {
    batchSize: new Histogram(BATCH_SIZES, memory.batchSize),
    commitSeconds: new Histogram(COMMIT_SECONDS, memory.commitSeconds),
  };
}
