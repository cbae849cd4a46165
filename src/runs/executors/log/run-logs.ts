import type { RunLogReader, RunLogWriter } from '../../../domain/ports/executor.ts';
import type { RunLogParts } from '../../../domain/ports/run-files.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import { appendAttempts, type OpenAttemptOutput } from './open-run-log.ts';
import { createRunLogReader, createRunLogWriter } from './run-log.ts';
import type { LogSpaceLimit, limitLogSpace } from './shared/limit-log-space.ts';

/** Removes logs in the storage that several daemons share. */
interface SharedLogs extends Pick<RunLogParts, 'remove' | 'orphans'> {
  /** See `limitLogSpace`. */
  limitSpace(limit: LogSpaceLimit): ReturnType<typeof limitLogSpace>;
}

/** How a daemon stores the logs of runs. */
export interface RunLogs {
  reader: RunLogReader;
  writer: RunLogWriter;
  openOutput: OpenAttemptOutput;
  /** The logs in the storage that several daemons share; `null` if the logs are files of this machine. */
  shared: SharedLogs | null;
}

/** Logs in files of this machine. */
export function createLocalRunLogs(logsDir: string, clock: Clock): RunLogs {
  return {
    reader: createRunLogReader(logsDir),
    writer: createRunLogWriter(logsDir, clock),
    openOutput: appendAttempts(logsDir, clock),
    shared: null,
  };
}
