import { type AppError, messageOf } from '../../../domain/errors.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { builtFile } from '../../../platform/files/package-files.ts';
import { Loop } from '../../../platform/loop.ts';
import { checkInBackground } from './background-check.ts';
import { describeDamage, isCheckedAtStart } from './check-database.ts';

const CHECK_INTERVAL_MS = 24 * 60 * 60 * 1000;
const RETRY_INTERVAL_MS = 60 * 60 * 1000;

interface DatabaseChecks {
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
  let resolveDamaged!: (error: AppError) => void;
  const damaged = new Promise<AppError>((resolve) => {
    resolveDamaged = resolve;
  });
  const runCheck = async (ending: AbortSignal) => {
    const result = await check(workerUrl, file, ending);
    if (ending.aborted) return null;
    if (result.outcome === 'damaged') resolveDamaged(describeDamage(file, result.finding));
    else if (result.outcome === 'undamaged') logger.info({ durationMs: result.durationMs }, 'database checked');
    else logger.warn({ problem: result.problem }, 'database check aborted');
    return result.outcome === 'aborted' ? RETRY_INTERVAL_MS : CHECK_INTERVAL_MS;
  };
  const loop = new Loop({
    turn: runCheck,
    onFailure: (error) => logger.warn({ problem: messageOf(error) }, 'database check aborted'),
    backoff: { firstMs: RETRY_INTERVAL_MS, maxMs: RETRY_INTERVAL_MS },
  });
  loop.start({ delayMs: isCheckedAtStart(file) ? CHECK_INTERVAL_MS : 0 });
  return { damaged, stop: () => loop.stop() };
}
