// Logs of runs. In: output of attempts, masked. Out: files (`run-log.ts`), which readers follow while they grow. With
// PostgreSQL, `shared/shared-run-logs.ts` copies the files to the storage: `shared/output-sender.ts` once per second, and
// `shared/part-mover.ts` on to S3.

import type { Config } from '../../../config/config.ts';
import type { Part } from '../../../domain/part.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { RunLogParts } from '../../../domain/ports/run-files.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import type { DataPaths } from '../../../platform/data-dir/data-paths.ts';
import { createRunLogReader } from './run-log.ts';
import { createLocalRunLogs, type RunLogs } from './run-logs.ts';
import type { LogObjects } from './shared/log-objects.ts';
import { PartMover } from './shared/part-mover.ts';
import { SharedRunLogs } from './shared/shared-run-logs.ts';

export interface OpenLogsParts {
  config: Pick<Config, 'storage'>;
  paths: Pick<DataPaths, 'runLogs' | 'unsentLogs'>;
  /** The parts of logs in the database. */
  parts: RunLogParts;
  clock: Clock;
  logger: Logger;
}

/**
 * The logs of runs are where the rest of the data is: in files with SQLite, otherwise in the database, or in an object store
 * next to it.
 */
export async function openRunLogs(given: OpenLogsParts): Promise<{ logs: RunLogs; part: Part }> {
  const { config, paths, parts, clock, logger } = given;
  if (config.storage.type === 'sqlite')
    return { logs: createLocalRunLogs(paths.runLogs, clock), part: { name: 'logs of runs' } };
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
  let mover: PartMover | null = null;
  const lead = (term: AbortSignal) => {
    if (objects === null) return;
    const begun = new PartMover({ parts, objects, isLeader: () => !term.aborted, logger });
    term.addEventListener('abort', () => void begun.stop());
    mover = begun;
  };
  const stop = async () => {
    await mover?.stop();
    await logs.stop();
  };
  return { logs, part: { name: 'logs of runs', lead, stop } };
}

/** Loads the client only if the configuration names a bucket. */
async function openObjects({ s3 }: Config['storage']): Promise<LogObjects | null> {
  if (s3 === null) return null;
  const { createS3Objects } = await import('./shared/s3-objects.ts');
  return createS3Objects(s3);
}
