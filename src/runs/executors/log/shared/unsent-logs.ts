import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunId, type RunId } from '../../../../domain/ids.ts';
import { checkRunId, listNames } from '../../files/run-paths.ts';

/** An attempt whose output is in files of this machine. */
export interface UnsentAttempt {
  run: RunId;
  attempt: number;
}

/** The files of one attempt. */
export interface UnsentFiles {
  log: string;
  times: string;
}

const NAME = /^(.+)\.(\d{1,9})\.log$/;

/** Throws `bad_request` for a malformed run ID. */
export function unsentFiles(dir: string, { run, attempt }: UnsentAttempt): UnsentFiles {
  const base = join(dir, `${checkRunId(run)}.${attempt}`);
  return { log: `${base}.log`, times: `${base}.times` };
}

/** The attempts with files in this folder. Other files are ignored. */
export async function listUnsent(dir: string): Promise<UnsentAttempt[]> {
  return (await listNames(dir)).flatMap((name) => {
    const [, run = '', attempt] = NAME.exec(name) ?? [];
    return isRunId(run) ? [{ run, attempt: Number(attempt) }] : [];
  });
}

export async function removeUnsent(dir: string, attempt: UnsentAttempt): Promise<void> {
  const { log, times } = unsentFiles(dir, attempt);
  // A run with the user of the daemon can replace them. The log is removed last: it names the attempt.
  await rm(times, { recursive: true, force: true });
  await rm(log, { recursive: true, force: true });
}
