import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { takeLargest, takeMedian, takeSmallest } from './statistics.ts';

/** What the absolute figures of a run depend on. */
export interface Machine {
  cores: number;
  cpu: string;
  memoryGiB: number;
  node: string;
}

export function describeMachine(): Machine {
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
  };
}

/** Duration of an fdatasync after a write of 4 KiB to a growing file, in milliseconds. */
export interface FsyncTime {
  medianMs: number;
  minMs: number;
  maxMs: number;
}

const PAGE_BYTES = 4_096;
const SYNCS = 200;

/** Measures on the file system of the temporary folder, which also contains the data directories of the benchmarks. */
export function measureFsync(syncs = SYNCS): FsyncTime {
  const folder = mkdtempSync(join(tmpdir(), 'dockbell-fsync-'));
  const descriptor = openSync(join(folder, 'file'), 'w');
  const page = Buffer.alloc(PAGE_BYTES, 7);
  try {
    const samples = Array.from({ length: syncs }, () => {
      const begunMs = performance.now();
      writeSync(descriptor, page);
      fdatasyncSync(descriptor);
      return performance.now() - begunMs;
    });
    return { medianMs: takeMedian(samples), minMs: takeSmallest(samples), maxMs: takeLargest(samples) };
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
}
