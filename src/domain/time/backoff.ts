import { setTimeout as wait } from 'node:timers/promises';

/** Growing delays between attempts: doubled after each failure, up to a limit. */
export interface Backoff {
  firstMs: number;
  maxMs: number;
  /** Share of the delay by which it varies in both directions, so that many daemons do not retry together. Default: 0. */
  jitter?: number;
}

/** For operations of this machine, such as a busy storage: from a quarter of a second to 30 s. */
export const LOCAL_BACKOFF: Backoff = { firstMs: 250, maxMs: 30_000 };

/** Doubling any longer would only lose precision. */
const MAX_DOUBLINGS = 30;

/**
 * Milliseconds to wait after `failures` failures in a row.
 * @param failures at least 1
 * @param random a number from 0 up to but not including 1
 */
export function backoffMs({ firstMs, maxMs, jitter = 0 }: Backoff, failures: number, random = 0.5): number {
  const delayMs = Math.min(firstMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS), maxMs);
  return Math.round(delayMs * (1 - jitter + 2 * jitter * random));
}

/** Waits without keeping the process alive. Resolves with `false` if the signal ended the wait. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await wait(ms, undefined, { signal, ref: false });
    return true;
  } catch {
    return false;
  }
}

/** Number of further attempts once the signal is aborted. */
const LAST_ATTEMPTS = 3;

/**
 * Retries an operation with `LOCAL_BACKOFF` until it succeeds. Once the signal is aborted, makes a few more attempts in
 * short succession and then resolves with `null`.
 * @param onFailure called after each failure, with the number of failures so far
 */
export async function retryWithBackoff<T>(
  operation: () => Promise<T>,
  signal: AbortSignal,
  onFailure: (error: unknown, failures: number) => void,
): Promise<{ value: T } | null> {
  let attemptsLeft = LAST_ATTEMPTS;
  for (let failures = 1; attemptsLeft > 0; failures++) {
    try {
      return { value: await operation() };
    } catch (error) {
      onFailure(error, failures);
    }
    if (signal.aborted) {
      attemptsLeft--;
      await wait(LOCAL_BACKOFF.firstMs);
    } else {
      await pause(backoffMs(LOCAL_BACKOFF, failures), signal);
    }
  }
  return null;
}
