// Backups of a daemon with SQLite. In: requests of clients and a schedule. Out: one archive with the database, hosted
// repositories and, on request, the master key.
// The way of a backup: `stage-backup.ts` copies, `archive/write-archive.ts` writes, `online-backups.ts` sends it to a client
// or `scheduled-backups.ts` stores it. The way back: `restore-backup.ts`, which checks everything before the last rename.

import type { Config } from '../../config/config.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { BackupControl } from '../../domain/ports/operations.ts';
import { type Environment, MASTER_KEY_VARIABLE } from '../../domain/runs/reserved-variables.ts';
import { systemClock } from '../../domain/time/clock.ts';
import type { DataPaths } from '../../platform/data-dir/data-paths.ts';
import type { MetricProbes } from '../observability/metrics/metric-probes.ts';
import { describeSource } from './describe-source.ts';
import { LiveSchedule } from './live-schedule.ts';
import { OnlineBackups } from './online-backups.ts';
import { createPostgresBackupError } from './postgres-backup.ts';
import { ScheduledBackups } from './scheduled-backups.ts';

/** The backups of this daemon. */
export interface Backups {
  control: BackupControl;
  scheduled: LiveSchedule;
  /** Aborts a backup that a client receives. */
  stop(): Promise<void>;
  /** For the metrics; `null` without scheduled backups. */
  lastTimes: MetricProbes['lastBackup'];
}

export interface BackupParts {
  config: Pick<Config, 'dataDir' | 'masterKeyFile' | 'backup' | 'storage'>;
  paths: DataPaths;
  env: Environment;
  logger: Logger;
}

export async function createBackups({ config, paths, env, logger }: BackupParts): Promise<Backups> {
  const { dataDir, masterKeyFile } = config;
  const source = describeSource({ dataDir, masterKeyFile, environmentValue: env[MASTER_KEY_VARIABLE] });
  const clock = systemClock;
  const backups = new OnlineBackups(source, clock);
  const idFile = paths.backupId;
  const scheduled = new LiveSchedule((policy) => new ScheduledBackups({ policy, backups, idFile, clock, logger }));
  await scheduled.setPolicy(config.backup);
  return {
    control: {
      status: async () => ({ schedule: scheduled.status(), running: backups.running }),
      open: async (request, signal) => {
        if (config.storage.type === 'postgres') {
          throw createPostgresBackupError({ dataDir, masterKeyFile, url: config.storage.url! });
        }
        return backups.open(request, signal);
      },
    },
    scheduled,
    stop: () => backups.stop(),
    lastTimes: () => {
      const status = scheduled.status();
      if (status === null) return null;
      return { successMs: status.lastSuccess?.at ?? null, failureMs: status.lastFailure?.at ?? null };
    },
  };
}
