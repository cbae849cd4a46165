import { join } from 'node:path';
import { AppError } from '../../core/errors.ts';
import { isRunId, type RunId } from '../../core/ids.ts';

/** Folder that holds everything of one run under `dir`. Throws `bad_request` for what is not a run's identifier. */
export function runFolder(dir: string, run: string): string {
  return join(dir, checkRunId(run));
}

/** File with the captured output of a run. Throws `bad_request` for what is not a run's identifier. */
export function runLogFile(logsDir: string, run: string): string {
  return join(logsDir, `${checkRunId(run)}.log`);
}

/** Whatever becomes part of a path has the form of an identifier, whoever hands it in. Throws `bad_request` otherwise. */
export function checkRunId(run: string): RunId {
  if (!isRunId(run)) throw new AppError('bad_request', `${JSON.stringify(run)} is not the identifier of a run`);
  return run;
}
