import type { Config } from '../config/config.ts';
import { createRunLogReader } from '../runs/executors/log/run-log.ts';
import { createLocalRunLogs, type RunLogs } from '../runs/executors/log/run-logs.ts';
import type { LogObjects } from '../runs/executors/log/shared/log-objects.ts';
import { PartMover } from '../runs/executors/log/shared/part-mover.ts';
import { SharedRunLogs } from '../runs/executors/log/shared/shared-run-logs.ts';
import type { Lifetime } from './lifetime.ts';
import type { DaemonState } from './open-daemon-state.ts';

/**
 * The logs of runs are where the rest of the data is: in files with SQLite, otherwise in the database, or in an object store
 * next to it.
 */
export async function openRunLogs(
  { config, paths, group, clock, logger }: Pick<DaemonState, 'config' | 'paths' | 'group' | 'clock' | 'logger'>,
  { isLeader }: { isLeader: () => boolean },
  lifetime: Lifetime,
): Promise<RunLogs> {
  if (config.storage.type === 'sqlite') return createLocalRunLogs(paths.runLogs, clock);
  const parts = group.runLogParts;
  const objects = await openObjects(config.storage);
  const logs = new SharedRunLogs({
    parts,
    objects,
    unsentDir: paths.unsentLogs,
    // Of the time before the data was copied to this database.
    earlier: createRunLogReader(paths.runLogs),
    clock,
    logger,
  });
  void logs.sendEarlier();
  lifetime.defer(() => logs.stop());
  if (objects !== null) {
    const mover = new PartMover({ parts, objects, isLeader, logger });
    lifetime.defer(() => mover.stop());
  }
  return logs;
}

/** Loads the client only if the configuration names a bucket. */
async function openObjects({ s3 }: Config['storage']): Promise<LogObjects | null> {
  if (s3 === null) return null;
  const { createS3Objects } = await import('../runs/executors/log/shared/s3-objects.ts');
  return createS3Objects(s3);
}
