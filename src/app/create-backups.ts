import { describeSource } from '../backup/describe-source.ts';
import { OnlineBackups } from '../backup/online-backups.ts';
import { ScheduledBackups } from '../backup/scheduled-backups.ts';
import type { Config } from '../config/config.ts';
import type { BackupControl } from '../core/ports/backup-control.ts';
import type { Logger } from '../core/ports/logger.ts';
import { type Environment, MASTER_KEY_VARIABLE } from '../core/reserved-variables.ts';
import { systemClock } from '../core/time/clock.ts';
import type { DataPaths } from '../data-dir/data-paths.ts';
import type { MetricProbes } from '../observability/metrics/metric-probes.ts';
import type { Lifetime } from './lifetime.ts';

/** The backups of this daemon. */
export interface Backups {
  control: BackupControl;
  /** `null` if the configuration has no `backup`. */
  scheduled: ScheduledBackups | null;
  /** For the metrics; `null` without scheduled backups. */
  lastTimes: MetricProbes['lastBackup'];
}

export interface BackupParts {
  config: Pick<Config, 'dataDir' | 'masterKeyFile' | 'backup'>;
  paths: DataPaths;
  env: Environment;
  logger: Logger;
}

export async function createBackups({ config, paths, env, logger }: BackupParts, lifetime: Lifetime): Promise<Backups> {
  const { dataDir, masterKeyFile, backup: policy } = config;
  const source = describeSource({ dataDir, masterKeyFile, environmentValue: env[MASTER_KEY_VARIABLE] });
  const clock = systemClock;
  const backups = new OnlineBackups(source, clock);
  lifetime.defer(() => backups.stop());
  const idFile = paths.backupId;
  const scheduled = policy === null ? null : new ScheduledBackups({ policy, backups, idFile, clock, logger });
  await scheduled?.load();
  return {
    control: {
      status: async () => ({ schedule: scheduled?.status() ?? null, running: backups.running }),
      open: (request, signal) => backups.open(request, signal),
    },
    scheduled,
    lastTimes: () => {
      if (scheduled === null) return null;
      const { lastSuccess, lastFailure } = scheduled.status();
      return { successMs: lastSuccess?.at ?? null, failureMs: lastFailure?.at ?? null };
    },
  };
}
