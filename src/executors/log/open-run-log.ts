import type { FileHandle } from 'node:fs/promises';
import type { RunId } from '../../core/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import { runLogFile, runTimesFile } from '../files/run-paths.ts';
import { openLogToAppend } from './log-file.ts';
import { LogTimesWriter } from './log-times.ts';

/** The log of a run and the times of its parts, open to append. */
export interface OpenLog {
  file: FileHandle;
  times: LogTimesWriter;
  /** Size when it was opened. */
  size: number;
  close(): Promise<void>;
}

/**
 * Opens the log of a run in an existing folder. With `isNewAttempt`, the output that follows is that of another attempt
 * than the output before.
 */
export async function openRunLog(
  logsDir: string,
  run: RunId,
  { isNewAttempt, clock }: { isNewAttempt: boolean; clock: Clock },
): Promise<OpenLog> {
  const file = await openLogToAppend(runLogFile(logsDir, run));
  try {
    const { size } = await file.stat();
    const times = await LogTimesWriter.open({ path: runTimesFile(logsDir, run), logBytes: size, isNewAttempt, clock });
    return { file, times, size, close: async () => void (await Promise.all([file.close(), times.close()])) };
  } catch (error) {
    await file.close();
    throw error;
  }
}
