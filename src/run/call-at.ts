import type { Clock } from '../core/time/clock.ts';

/** A longer delay than Node's timers can hold would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Calls back at an instant of the monotonic clock, never before it. Does not keep the process alive.
 *
 * A timer of Node can fire up to a millisecond early, because it drops the fraction of its delay and counts from the
 * start of the event loop's turn. Whoever compares the clock with the instant in the callback needs it to be over.
 * @param dueAt milliseconds, as `Clock.monotonicMs`
 * @returns a function that cancels the call
 */
export function callAt(dueAt: number, clock: Pick<Clock, 'monotonicMs'>, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (remainingMs: number) => {
    const delayMs = Math.min(Math.max(0, Math.ceil(remainingMs)), LONGEST_TIMER_MS);
    timer = setTimeout(check, delayMs).unref();
  };
  const check = () => {
    const remainingMs = dueAt - clock.monotonicMs();
    if (remainingMs > 0) arm(remainingMs);
    else callback();
  };
  arm(dueAt - clock.monotonicMs());
  return () => clearTimeout(timer);
}
