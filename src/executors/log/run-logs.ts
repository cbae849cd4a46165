import type { RunLogReader, RunLogWriter } from '../../core/ports/runs/executor.ts';
import type { RunLogParts } from '../../core/ports/runs/run-log-parts.ts';
import type { Clock } from '../../core/time/clock.ts';
import { appendAttempts, type OpenAttemptOutput } from './open-run-log.ts';
import { createRunLogReader, createRunLogWriter } from './run-log.ts';

/** How a daemon stores the logs of runs. */
export interface RunLogs {
  reader: RunLogReader;
  writer: RunLogWriter;
  openOutput: OpenAttemptOutput;
  /** Removes logs in the storage that several daemons share; `null` if the logs are files of this machine. */
  shared: Pick<RunLogParts, 'remove' | 'orphans'> | null;
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
