import { createRunLogReader } from '../executors/log/run-log.ts';
import { createLocalRunLogs, type RunLogs } from '../executors/log/run-logs.ts';
import { SharedRunLogs } from '../executors/log/shared/shared-run-logs.ts';
import type { Lifetime } from './lifetime.ts';
import type { DaemonState } from './open-daemon-state.ts';

/** The logs of runs are where the rest of the data is: in files with SQLite, otherwise in the database. */
export function openRunLogs(
  { config, paths, group, clock, logger }: Pick<DaemonState, 'config' | 'paths' | 'group' | 'clock' | 'logger'>,
  lifetime: Lifetime,
): RunLogs {
  if (config.storage.type === 'sqlite') return createLocalRunLogs(paths.runLogs, clock);
  const logs = new SharedRunLogs({
    parts: group.runLogParts,
    unsentDir: paths.unsentLogs,
    // Of the time before the data was copied to this database.
    earlier: createRunLogReader(paths.runLogs),
    clock,
    logger,
  });
  void logs.sendEarlier();
  lifetime.defer(() => logs.stop());
  return logs;
}
