import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RunId } from '../../../domain/ids.ts';
import type { Run } from '../../../domain/resources/run.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import { makeFolder } from '../../../platform/files/make-folder.ts';
import { runLogFile, runTimesFile } from '../files/run-paths.ts';
import { openLogToAppend } from './log-file.ts';
import { LogTimesWriter } from './log-times.ts';

/** The log of a run and the times of its parts, open to append. */
export interface OpenLog {
  file: FileHandle;
  times: LogTimesWriter;
  /** Size when it was opened. */
  size: number;
  /** Where the output that follows begins in the log of the run; `null` if that is not known yet. */
  offset: number | null;
  /** Called after output was written. */
  noteWritten(): void;
  /** Resolves when the readers of the log have the output. */
  close(): Promise<void>;
}

/** Opens the log of a run for the output of another attempt. */
export type OpenAttemptOutput = (run: Run) => Promise<OpenLog>;

/** Attempts append to the log of their run in this folder. */
export function appendAttempts(logsDir: string, clock: Clock): OpenAttemptOutput {
  return ({ id }) => openRunLog(logsDir, id, { isNewAttempt: true, clock });
}

interface LogFiles {
  log: string;
  times: string;
}

interface LogUse {
  /** Is the output that follows that of another attempt than the output before? */
  isNewAttempt: boolean;
  clock: Clock;
}

export function openRunLog(logsDir: string, run: RunId, use: LogUse): Promise<OpenLog> {
  return openLogFiles({ log: runLogFile(logsDir, run), times: runTimesFile(logsDir, run) }, use);
}

/** Creates the folder and the files if they do not exist. */
export async function openLogFiles({ log, times: timesFile }: LogFiles, use: LogUse): Promise<OpenLog> {
  await makeFolder(dirname(log), { mode: 0o700 });
  const file = await openLogToAppend(log);
  try {
    const { size } = await file.stat();
    const times = await LogTimesWriter.open({ path: timesFile, logBytes: size, ...use });
    const close = async () => void (await Promise.all([file.close(), times.close()]));
    return { file, times, size, offset: size, noteWritten: () => {}, close };
  } catch (error) {
    await file.close();
    throw error;
  }
}
