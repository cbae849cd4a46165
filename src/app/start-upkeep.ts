import type { Config } from '../config/config.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { ReplicaGroup } from '../domain/ports/replicas.ts';
import type { StartRecords } from '../domain/ports/runs/executor.ts';
import type { Storage } from '../domain/ports/storage.ts';
import type { RetentionTime } from '../domain/retention-time.ts';
import type { Clock } from '../domain/time/clock.ts';
import { measureUptimeMs } from '../domain/time/steady-clock.ts';
import type { LiveSchedule } from '../operations/backup/live-schedule.ts';
import type { LiveConditions } from '../operations/health/live-conditions.ts';
import { startHousekeeping } from '../operations/housekeeping/housekeeping.ts';
import { startTokenExpiryLog } from '../operations/housekeeping/token-expiry.ts';
import type { DataPaths } from '../platform/data-dir/data-paths.ts';
import { createRunFiles } from '../runs/executors/files/run-files.ts';
import { createRunSpace } from '../runs/executors/files/run-space.ts';
import type { RunLogs } from '../runs/executors/log/run-logs.ts';
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
