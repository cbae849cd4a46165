import { type Backoff, backoffMs } from '../../domain/time/backoff.ts';
import { type CancelCall, type Schedule, scheduleCall } from '../../domain/time/schedule.ts';
import { Loop } from '../../platform/loop.ts';

/** Timers and randomness as parameters, so that tests do not wait. */
export interface SourceClock {
  schedule: Schedule;
  /** A number from 0 up to but not including 1. */
  random(): number;
}

export const systemSourceClock: SourceClock = { schedule: scheduleCall, random: Math.random };

/** Upper limit of the delay after failures, so that a repaired server is found soon. */
const MAX_BACKOFF_MS = 300_000;
const JITTER = 0.1;

/** Calls `look` repeatedly until cancelled. `countFailures` returns the number of failures in a row. */
export function startPolling(
  clock: SourceClock,
  intervalMs: number,
  countFailures: () => number,
  look: () => void,
): CancelCall {
  const backoff: Backoff = { firstMs: intervalMs, maxMs: Math.max(intervalMs, MAX_BACKOFF_MS), jitter: JITTER };
  const waitMs = () => backoffMs(backoff, countFailures() + 1, clock.random());
  const loop = new Loop({
    turn: async () => {
      look();
      return waitMs();
    },
    onFailure: () => undefined,
    schedule: clock.schedule,
  });
  loop.start({ delayMs: waitMs() });
  return () => void loop.stop();
}
