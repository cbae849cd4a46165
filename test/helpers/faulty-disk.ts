import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasProgram } from './has-program.ts';
import { createTempDir } from './temp-dir.ts';

const SOURCE = fileURLToPath(new URL('../faults/kit/faulty-disk.c', import.meta.url));

/** Faults of the files of one data directory. */
export interface FaultyDisk {
  /** Variables for a daemon, which is not changed until `set`. */
  env: Record<string, string>;
  /** Replaces the faults, in the format of `faulty-disk.c`. They apply to the next call. */
  set(...faults: string[]): void;
  clear(): void;
  /** The calls that had a fault, with their paths. */
  hits(): string[];
}

let library: string | null = null;

/** Is there a compiler for the library that causes faults? If not, one line reports it. */
export function canSpoilDisks(): boolean {
  return process.platform === 'linux' && hasProgram('cc');
}

export function createFaultyDisk(dataDir: string): FaultyDisk {
  const control = join(createTempDir('faulty-disk'), 'faults');
  library ??= compile();
  return {
    env: { LD_PRELOAD: library, FAULTY_DISK: control, FAULTY_DISK_DIR: dataDir },
    set: (...faults) => writeFileSync(control, faults.map((fault) => `${fault}\n`).join('')),
    clear: () => rmSync(control, { force: true }),
    hits: () => (existsSync(`${control}.hits`) ? readFileSync(`${control}.hits`, 'utf8').trim().split('\n') : []),
  };
}

function compile(): string {
  const file = join(createTempDir('faulty-disk'), 'faulty-disk.so');
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-Wall', '-Wextra', '-Werror', '-o', file, SOURCE, '-ldl'], {
    stdio: 'pipe',
  });
  return file;
}
