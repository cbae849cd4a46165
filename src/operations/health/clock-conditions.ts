import { CATCH_UP_FACTOR } from '../../domain/retention-time.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import type { ClockStep } from '../../domain/time/steady-clock.ts';
import type { ConditionState } from '../../reconcile/conditions.ts';

const HOUR_MS = 3_600_000;
/** A night or a day without the daemon is nothing to report. */
const REPORTED_LAG_MS = 24 * HOUR_MS;

export function describeClockStep(step: ClockStep | null): ConditionState | null {
  if (step === null) return null;
  const isAhead = step.wallMs > step.expectedMs;
  return {
    type: 'ClockStepped',
    status: 'True',
    reason: isAhead ? 'ClockAhead' : 'ClockBehind',
    message:
      `the system clock is at ${formatInstant(step.wallMs)}, but by the time that has passed it must be ` +
      `${formatInstant(step.expectedMs)}: nothing expires by the system clock. Correct the clock. If it is right, ` +
      `restart Dockbell; otherwise it is accepted in ${formatHours(step.remainingMs)}`,
  };
}

/** @param lagMs as `RetentionTime.findLag` returns it */
export function describeRetentionLag(lagMs: number | null, steadyMs: number): ConditionState | null {
  if (lagMs === null || lagMs <= REPORTED_LAG_MS) return null;
  return {
    type: 'RetentionDelayed',
    status: 'True',
    reason: 'CatchingUp',
    message:
      `Dockbell did not run for some time, or the system clock is wrong: it is at ${formatInstant(steadyMs)}, and ` +
      `retention removes rows as of ${formatInstant(steadyMs - lagMs)}. Each hour it catches up by ${CATCH_UP_FACTOR} ` +
      'hours. If the clock is wrong, correct it and restart Dockbell before rows are removed too early',
  };
}

function formatHours(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / HOUR_MS))} h`;
}
