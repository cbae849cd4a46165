import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../domain/errors.ts';
import type { RunId } from '../../domain/ids.ts';
import type { StartRecords } from '../../domain/ports/executor.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { syncFolder } from '../../platform/files/write-durably.ts';
import { runFolder } from './files/run-paths.ts';

/**
 * Start records as empty files `<dir>/<run>/<attempt>` (threat model D7). A record is kept until its run is deleted: as long
 * as the storage could start the run, the proof of its start exists.
 */
export function createStartRecords(dir: string): StartRecords {
  return {
    create: async (run, attempt) => {
      const folder = runFolder(dir, run);
      await makeFolder(folder, { mode: 0o700 });
      if (!(await createExclusively(recordFile(dir, run, attempt)))) return false;
      // A file name is on disk only once its folder is synced, and so is the name of that folder.
      await syncFolder(folder);
      await syncFolder(dir);
      return true;
    },
    exists: async (run, attempt) => {
      try {
        await stat(recordFile(dir, run, attempt));
        return true;
      } catch (error) {
        if (systemErrorCode(error) === 'ENOENT') return false;
        throw error;
      }
    },
    delete: (run) => rm(runFolder(dir, run), { recursive: true, force: true }),
  };
}

function recordFile(dir: string, run: RunId, attempt: number): string {
  return join(runFolder(dir, run), String(attempt));
}

async function createExclusively(path: string): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  return true;
}
