import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, systemErrorCode } from '../../core/errors.ts';
import { isRunId, type RunId } from '../../core/ids.ts';

/** Folder of one run below `dir`. Throws `bad_request` for a malformed run ID. */
export function runFolder(dir: string, run: string): string {
  return join(dir, checkRunId(run));
}

/** File with the captured output of a run. Throws `bad_request` for a malformed run ID. */
export function runLogFile(logsDir: string, run: string): string {
  return join(logsDir, `${checkRunId(run)}.log`);
}

/** Checks a text that becomes part of a path. Throws `bad_request` for a malformed run ID. */
export function checkRunId(run: string): RunId {
  if (!isRunId(run)) throw new AppError('bad_request', `${JSON.stringify(run)} is not a run ID`);
  return run;
}

/** Names in a folder; empty if the folder does not exist. */
export async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
