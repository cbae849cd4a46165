import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tempDirs: string[] = [];

/** A new folder that is removed when the test file, or else the process, ends; `DOCKBELL_KEEP` keeps it for a look. */
export function createTempDir(prefix: string): string {
  const dir = mkdtempSync(join(tmpdir(), `dockbell-${prefix}-`));
  tempDirs.push(dir);
  return dir;
}

/** Called after each test file (`after-each-file.ts`). */
export function removeTempDirs(): void {
  if (process.env.DOCKBELL_KEEP) return;
  for (const dir of tempDirs.splice(0)) rmSync(dir, { recursive: true, force: true });
}

// Benchmarks have no test files. A worker of vitest is ended by a signal, which this does not see.
process.once('exit', removeTempDirs);
