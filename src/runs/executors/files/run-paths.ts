import { readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { AppError, systemErrorCode } from '../../../domain/errors.ts';
import { isRunId, type RunId } from '../../../domain/ids.ts';

/** Folder of one run below `dir`. Throws `bad_request` for a malformed run ID. */
export function runFolder(dir: string, run: string): string {
  return join(dir, checkRunId(run));
}

/** An attempt of a run. */
export interface AttemptKey {
  id: RunId;
  attempt: number;
}

/** Directory in which an attempt runs. Throws `bad_request` for a malformed run ID. */
export function attemptFolder(runsDir: string, { id, attempt }: AttemptKey): string {
  return join(runFolder(runsDir, id), String(attempt));
}

/** File with the payload of an attempt, in its directory. */
export function payloadFile(runsDir: string, key: AttemptKey): string {
  return join(attemptFolder(runsDir, key), 'event-payload.json');
}

/** Folder with the artifacts of an attempt, which the run cannot change. Throws `bad_request` for a malformed run ID. */
export function artifactsFolder(runsDir: string, run: string, attempt: number): string {
  return join(runFolder(runsDir, run), `${attempt}.artifacts`);
}

/** File with the captured output of a run. Throws `bad_request` for a malformed run ID. */
export function runLogFile(logsDir: string, run: string): string {
  return join(logsDir, `${checkRunId(run)}.log`);
}

/** File with the times of the log of a run. Throws `bad_request` for a malformed run ID. */
export function runTimesFile(logsDir: string, run: string): string {
  return join(logsDir, `${checkRunId(run)}.times`);
}

/** The run that a folder, a log, its times or a start record belongs to, by its name; `null` for any other name. */
export function runOfFile(name: string): RunId | null {
  const run = ['.log', '.times'].includes(extname(name)) ? basename(name, extname(name)) : name;
  return isRunId(run) ? run : null;
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
