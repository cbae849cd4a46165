import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tempDirs: string[] = [];

/** A new folder that is deleted at the end of the test file or the process. `DOCKBELL_KEEP` keeps it for inspection. */
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

// For benchmarks, which are not test files. A worker of vitest is ended by a signal, so it does not reach this handler.
process.once('exit', removeTempDirs);
