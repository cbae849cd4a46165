import type { BackupSchedule } from '../../domain/ports/backup-control.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import type { ConditionState } from '../../reconcile/conditions.ts';

/** What the condition is read from. */
export interface WatchedBackups {
  /** `null` without scheduled backups. */
  status(): BackupSchedule | null;
  /** Since when a backup is overdue; `null` if none is. */
  findOverdue(): number | null;
}

/** A backup failed and none was stored since, or the last one is older than it may be. */
export function describeBackups(backups: WatchedBackups): ConditionState | null {
  const status = backups.status();
  if (status === null) return null;
  const { lastSuccess, lastFailure, dir } = status;
  const last =
    lastSuccess === null ? 'no backup was stored yet' : `the last backup is of ${formatInstant(lastSuccess.at)}`;
  if (lastFailure !== null && lastFailure.at > (lastSuccess?.at ?? 0)) {
    return compose('BackupFailed', `the scheduled backup failed, and ${last}: ${lastFailure.problem}`);
  }
  if (backups.findOverdue() === null) return null;
  return compose('NoRecentBackup', `${last} in ${dir}: the log says why no later one was stored`);
}

function compose(reason: string, message: string): ConditionState {
  return { type: 'BackupOverdue', status: 'True', reason, message };
}
