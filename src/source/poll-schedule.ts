import type { SourceClock } from './source-clock.ts';

/** A server that fails is asked ever less often, but a repaired one is not left waiting for longer than this. */
const MAX_BACKOFF_MS = 300_000;
/** Share of the delay by which it varies in both directions, so that many daemons do not ask at the same moment. */
const JITTER = 0.1;

/** Time until the next look, after so many failures in a row. */
export function computePollDelayMs(intervalMs: number, failures: number, random: number): number {
  const longestMs = Math.max(intervalMs, MAX_BACKOFF_MS);
  const backedOffMs = Math.min(intervalMs * 2 ** Math.min(failures, 20), longestMs);
  return Math.round(backedOffMs * (1 - JITTER + 2 * JITTER * random));
}

/** Calls `look` again and again until cancelled; `countFailures` says how far to back off. */
export function startPolling(
  clock: SourceClock,
  intervalMs: number,
  countFailures: () => number,
  look: () => void,
): () => void {
  let cancel = () => {};
  const schedule = () => {
    cancel = clock.setTimer(
      () => {
        look();
        schedule();
      },
      computePollDelayMs(intervalMs, countFailures(), clock.random()),
    );
  };
  schedule();
  return () => cancel();
}
