import type { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { type CancelCall, scheduleCall } from '../../domain/time/schedule.ts';
import { builtFile } from '../../platform/files/package-files.ts';
import { checkInBackground } from '../../storage/sqlite/disk/background-check.ts';
import { describeDamage, isCheckedAtStart } from '../../storage/sqlite/disk/check-database.ts';

const CHECK_INTERVAL_MS = 24 * 60 * 60 * 1000;
const RETRY_INTERVAL_MS = 60 * 60 * 1000;

export interface DatabaseChecks {
  /** Resolves with what is wrong and what to do when a check finds damage. */
  damaged: Promise<AppError>;
  stop(): Promise<void>;
}

/** For a database that checks its own files. */
export const NO_DATABASE_CHECKS: DatabaseChecks = {
  damaged: new Promise(() => undefined),
  stop: async () => undefined,
};

/** Checks the database daily while it is used, and right after the start if the start left that out for its size. */
export function startDatabaseChecks(file: string, logger: Logger, check = checkInBackground): DatabaseChecks {
  const workerUrl = builtFile('storage/sqlite/disk/check-worker.js');
  const abort = new AbortController();
  let cancel: CancelCall = () => {};
  let checking: Promise<void> = Promise.resolve();
  let resolveDamaged!: (error: AppError) => void;
  const damaged = new Promise<AppError>((resolve) => {
    resolveDamaged = resolve;
  });
  const schedule = (delayMs: number) => {
    cancel = scheduleCall(delayMs, () => {
      checking = runCheck();
    });
  };
  const runCheck = async () => {
    const result = await check(workerUrl, file, abort.signal);
    if (abort.signal.aborted) return;
    if (result.outcome === 'damaged') resolveDamaged(describeDamage(file, result.finding));
    else if (result.outcome === 'undamaged') logger.info({ durationMs: result.durationMs }, 'database checked');
    else logger.warn({ problem: result.problem }, 'database check aborted');
    schedule(result.outcome === 'aborted' ? RETRY_INTERVAL_MS : CHECK_INTERVAL_MS);
  };
  schedule(isCheckedAtStart(file) ? CHECK_INTERVAL_MS : 0);
  return {
    damaged,
    stop: async () => {
      abort.abort();
      cancel();
      await checking;
    },
  };
}
