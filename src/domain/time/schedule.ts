import type { Clock } from './clock.ts';

/** Node's timers hold no longer delay: a longer one would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Cancels a scheduled call; does nothing once the call was made. */
export type CancelCall = () => void;

/** Calls back once after `delayMs`. A scheduled call must not keep the process alive. */
export type Schedule = (delayMs: number, callback: () => void) => CancelCall;

/** Schedules on Node's timers, for any delay. */
export const scheduleCall: Schedule = (delayMs, callback) => {
  let timer: NodeJS.Timeout;
  const arm = (remainingMs: number) => {
    const stepMs = Math.min(remainingMs, MAX_TIMER_MS);
    timer = setTimeout(() => (remainingMs > stepMs ? arm(remainingMs - stepMs) : callback()), stepMs).unref();
  };
  arm(delayMs);
  return () => clearTimeout(timer);
};

/** How much later than planned a timer may run before this thread itself counts as held up. */
const MAX_TIMER_DELAY_MS = 500;

/**
 * Calls back after a time in which this thread was awake. A timer that runs late shows that the process was suspended or
 * this thread was busy, so the time starts again. Messages that wait meanwhile are received before the call.
 */
export const scheduleAwakeCall: Schedule = (delayMs, callback) => {
  let isCancelled = false;
  let cancelTimer: CancelCall = () => {};
  const arm = () => {
    const dueMs = performance.now() + delayMs;
    cancelTimer = scheduleCall(delayMs, () => {
      if (performance.now() - dueMs > MAX_TIMER_DELAY_MS) return arm();
      setImmediate(() => {
        if (!isCancelled) callback();
      });
    });
  };
  arm();
  return () => {
    isCancelled = true;
    cancelTimer();
  };
};

/**
 * Calls back at an instant of the monotonic clock, never before it.
 *
 * Node's timers can fire up to a millisecond early, because they drop the fraction of their delay and count from the
 * start of the event loop's turn. A callback that compares the clock with the instant must not see that.
 * @param dueAt milliseconds, as `Clock.monotonicMs`
 */
export function callAt(dueAt: number, clock: Pick<Clock, 'monotonicMs'>, callback: () => void): CancelCall {
  let cancel: CancelCall;
  const arm = (remainingMs: number) => {
    cancel = scheduleCall(Math.max(0, Math.ceil(remainingMs)), check);
  };
  const check = () => {
    const remainingMs = dueAt - clock.monotonicMs();
    if (remainingMs > 0) arm(remainingMs);
    else callback();
  };
  arm(dueAt - clock.monotonicMs());
  return () => cancel();
}
