import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readMemoryMiB } from './read-memory.ts';

/** What a daemon uses at one moment. Figures of its process are `NaN` on systems without `/proc`. */
export interface DaemonSize {
  rssMiB: number;
  openFiles: number;
  threads: number;
  walMiB: number;
  databaseMiB: number;
}

const MIB = 1_024 * 1_024;

export function readDaemonSize({ pid, dataDir }: { pid: number; dataDir: string }): DaemonSize {
  const database = join(dataDir, 'dockbell.db');
  return {
    rssMiB: readMemoryMiB(pid, 'VmRSS'),
    openFiles: countEntries(`/proc/${pid}/fd`),
    threads: countEntries(`/proc/${pid}/task`),
    walMiB: statSync(`${database}-wal`).size / MIB,
    databaseMiB: statSync(database).size / MIB,
  };
}

function countEntries(folder: string): number {
  return process.platform === 'linux' ? readdirSync(folder).length : Number.NaN;
}
