import type { AlertRule } from '../../../domain/messages/alert-rules.ts';
import type { Examiner, SettingOf } from './finding.ts';
import { APPLY_FAILED, BACKUP_OVERDUE, DISK, NOTIFY_FAILING, PROBE, TOKEN_EXPIRING } from './installation-rules.ts';
import { DEAD_LETTER, FAILURE_RATE, LOOP_GUARDED, QUEUE_AGE, RUN_FAILED } from './run-rules.ts';
import { RATE_LIMITED, REJECTION_BURST, SILENT } from './webhook-rules.ts';

/** How each rule of `ALERT_RULES` reads its state. */
export const EXAMINERS: { readonly [Rule in AlertRule]: Examiner<SettingOf<Rule>> } = {
  applyFailed: APPLY_FAILED,
  runFailed: RUN_FAILED,
  failureRate: FAILURE_RATE,
  loopGuard: LOOP_GUARDED,
  deadLetter: DEAD_LETTER,
  rejectionBurst: REJECTION_BURST,
  rateLimited: RATE_LIMITED,
  silent: SILENT,
  probe: PROBE,
  queueAge: QUEUE_AGE,
  notifyFailing: NOTIFY_FAILING,
  disk: DISK,
  backupOverdue: BACKUP_OVERDUE,
  tokenExpiring: TOKEN_EXPIRING,
};
