import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Retention, RetentionPolicy } from '../core/ports/retention.ts';
import type { RejectionRows } from '../ingress/rejection-rows.ts';

const RETENTION_INTERVAL_MS = 60_000;
/** Between two pieces, so that deliveries go first. */
const PIECE_PAUSE_MS = 50;
const FLUSH_INTERVAL_MS = 5_000;

export interface HousekeepingParts {
  retention: Retention;
  policy: RetentionPolicy;
  removeRunFiles(runId: string): Promise<void>;
  rejectionRows: RejectionRows;
  clock: Clock;
  logger: Logger;
}

/** Removes what is too old in small pieces, and writes the sums of rejections whose minute is over. */
export function startHousekeeping(parts: HousekeepingParts): { stop(): Promise<void> } {
  let stopped = false;
  let sweeping: Promise<void> = Promise.resolve();
  const sweep = () => {
    sweeping = sweeping
      .then(() => removeExpired(parts, () => stopped))
      .catch((error) => {
        parts.logger.error({ err: error }, 'retention broke off; it is tried again in a minute');
      });
  };
  const retention = setInterval(sweep, RETENTION_INTERVAL_MS).unref();
  const flush = setInterval(() => parts.rejectionRows.flush(parts.clock.monotonicMs()), FLUSH_INTERVAL_MS).unref();
  sweep();
  return {
    stop: async () => {
      stopped = true;
      clearInterval(retention);
      clearInterval(flush);
      await sweeping;
    },
  };
}

async function removeExpired(parts: HousekeepingParts, isStopped: () => boolean): Promise<void> {
  for (let more = true; more && !isStopped(); ) {
    const piece = await parts.retention.prune(parts.policy, parts.clock.wallMs());
    for (const run of piece.removedRuns) await parts.removeRunFiles(run);
    more = piece.more;
    if (more) await new Promise((resolve) => setTimeout(resolve, PIECE_PAUSE_MS));
  }
}
