import type { ConfigChange } from '../config/live-config.ts';
import type { Part } from '../domain/part.ts';
import type { StartRecords } from '../domain/ports/executor.ts';
import { measureUptimeMs } from '../domain/time/steady-clock.ts';
import type { IngressRows } from '../ingress/create-ingress.ts';
import type { LiveSchedule } from '../operations/backup/live-schedule.ts';
import { describeBackups, type LiveConditions } from '../operations/health/live-conditions.ts';
import { startHousekeeping } from '../operations/housekeeping/housekeeping.ts';
import { startTokenExpiryLog } from '../operations/housekeeping/token-expiry.ts';
import { createRunFiles } from '../runs/executors/files/run-files.ts';
import { createRunSpace } from '../runs/executors/files/run-space.ts';
import type { RunLogs } from '../runs/executors/log/run-logs.ts';
import { NO_DATABASE_CHECKS, startDatabaseChecks } from '../storage/sqlite/disk/database-checks.ts';
import type { DaemonState } from './open-daemon-state.ts';

interface UpkeepParts {
  startRecords: StartRecords;
  runLogs: Pick<RunLogs, 'shared'>;
  rows: IngressRows;
  scheduledBackups: LiveSchedule;
  conditions: LiveConditions;
}

/**
 * What works by the clock: retention, warnings of tokens that expire, scheduled backups, checks of the database. Returns the
 * promise of what a check finds.
 */
export function openUpkeep(state: DaemonState, given: UpkeepParts) {
  const { config, paths, storage, steadyClock, parts, logger } = state;
  parts.add(keepHouse(state, given));
  parts.add(
    startLate('warnings of tokens', () => startTokenExpiryLog({ tokens: storage.tokens, clock: steadyClock, logger })),
  );
  parts.add(backUp(given.scheduledBackups));
  const checks = config.storage.type === 'sqlite' ? startDatabaseChecks(paths.database, logger) : NO_DATABASE_CHECKS;
  parts.add({ name: 'database checks', stop: () => checks.stop() });
  return { damaged: checks.damaged };
}

function keepHouse(state: DaemonState, { startRecords, runLogs, rows, conditions }: UpkeepParts): Part {
  const { config, paths, storage, clock, steadyClock, retentionTime, logger } = state;
  const { runsDir } = config;
  return startLate('housekeeping', () =>
    startHousekeeping({
      retention: storage.retention,
      get policy() {
        return config.retention;
      },
      runs: storage.runReader,
      files: createRunFiles({ runsDir, logsDir: paths.runLogs, startRecordsDir: paths.startRecords, startRecords }),
      sharedLogs: runLogs.shared,
      space: createRunSpace({ runsDir, logsDir: paths.runLogs, clock }),
      ...rows,
      clock,
      steadyClock,
      retentionTime,
      uptimeMs: measureUptimeMs,
      conditions,
      logger,
    }),
  );
}

function backUp(scheduled: LiveSchedule): Part<ConfigChange> {
  return {
    name: 'scheduled backups',
    start: () => scheduled.start(),
    stop: () => scheduled.stop(),
    conditions: (factory) => {
      const overdue = factory === null ? describeBackups(scheduled) : null;
      return overdue === null ? [] : [overdue];
    },
    reload: async ({ applied, config }) => {
      if (applied.some((name) => name.startsWith('backup.'))) await scheduled.setPolicy(config.backup);
    },
  };
}

type Working = Pick<Part, 'lead'> & { stop(): void | Promise<void> };

/** A part that works from its creation. */
function startLate(name: string, create: () => Working): Part {
  let working: Working | null = null;
  return {
    name,
    start: () => {
      working = create();
    },
    lead: (term) => working?.lead?.(term),
    stop: () => working?.stop(),
  };
}
