import type { LiveSchedule } from '../backup/live-schedule.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { ReplicaGroup } from '../core/ports/replicas.ts';
import type { StartRecords } from '../core/ports/runs/executor.ts';
import type { Storage } from '../core/ports/storage.ts';
import type { RetentionTime } from '../core/retention-time.ts';
import type { Clock } from '../core/time/clock.ts';
import { measureUptimeMs } from '../core/time/steady-clock.ts';
import type { DataPaths } from '../data-dir/data-paths.ts';
import { createRunFiles } from '../executors/files/run-files.ts';
import { createRunSpace } from '../executors/files/run-space.ts';
import type { RunLogs } from '../executors/log/run-logs.ts';
import type { LiveConditions } from '../health/live-conditions.ts';
import { startTokenExpiryLog } from '../health/token-expiry.ts';
import { startHousekeeping } from '../housekeeping/housekeeping.ts';
import type { Ingress } from './create-ingress.ts';
import type { Lifetime } from './lifetime.ts';

export interface UpkeepParts {
  config: Pick<Config, 'retention' | 'runsDir'>;
  paths: Pick<DataPaths, 'runLogs' | 'startRecords'>;
  group: Pick<ReplicaGroup, 'isLeader'>;
  storage: Pick<Storage, 'retention' | 'runReader' | 'tokens'>;
  startRecords: StartRecords;
  runLogs: Pick<RunLogs, 'shared'>;
  ingress: Pick<Ingress, 'rejectionRows' | 'handshakeRows' | 'unlogged'>;
  backups: LiveSchedule;
  conditions: LiveConditions;
  clock: Clock;
  steadyClock: Clock;
  retentionTime: RetentionTime;
  logger: Logger;
}

/** Starts what works by the clock: retention, warnings of tokens that expire, scheduled backups. */
export function startUpkeep(parts: UpkeepParts, lifetime: Lifetime): void {
  const { config, paths, group, storage, startRecords, runLogs, ingress, backups, conditions } = parts;
  const { clock, steadyClock, retentionTime, logger } = parts;
  const { runsDir } = config;
  const housekeeping = startHousekeeping({
    isLeader: () => group.isLeader,
    retention: storage.retention,
    get policy() {
      return config.retention;
    },
    runs: storage.runReader,
    files: createRunFiles({ runsDir, logsDir: paths.runLogs, startRecordsDir: paths.startRecords, startRecords }),
    sharedLogs: runLogs.shared,
    space: createRunSpace({ runsDir, logsDir: paths.runLogs, clock }),
    rejectionRows: ingress.rejectionRows,
    handshakeRows: ingress.handshakeRows,
    unlogged: ingress.unlogged,
    clock,
    steadyClock,
    retentionTime,
    uptimeMs: measureUptimeMs,
    conditions,
    logger,
  });
  lifetime.defer(() => housekeeping.stop());
  const expiry = startTokenExpiryLog({ tokens: storage.tokens, clock: steadyClock, logger });
  lifetime.defer(() => expiry.stop());
  backups.start();
  lifetime.defer(() => backups.stop());
}
