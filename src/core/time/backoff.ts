import { setTimeout as wait } from 'node:timers/promises';

const FIRST_MS = 250;
const MAX_MS = 30_000;
const LAST_TRIES = 3;

/** How long to wait before try `failures` + 1, in milliseconds: doubling from a quarter of a second up to 30 s. */
export function backoffMs(failures: number): number {
  return Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 16), MAX_MS);
}

/** Waits without keeping the process alive. `false` where the signal ended the wait. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await wait(ms, undefined, { signal, ref: false });
    return true;
  } catch {
    return false;
  }
}

/**
 * Repeats an operation with growing pauses until it succeeds. Once the signal is aborted it is tried a few times more,
 * shortly after each other; then the answer is `null`.
 * @param onFailure told of every failure, with the number of failures so far
 */
export async function retryWithBackoff<T>(
  operation: () => Promise<T>,
  signal: AbortSignal,
  onFailure: (error: unknown, failures: number) => void,
): Promise<{ value: T } | null> {
  let triesLeft = LAST_TRIES;
  for (let failures = 1; triesLeft > 0; failures++) {
    try {
      return { value: await operation() };
    } catch (error) {
      onFailure(error, failures);
    }
    if (signal.aborted) {
      triesLeft--;
      await wait(FIRST_MS);
    } else {
      await pause(backoffMs(failures), signal);
    }
  }
  return null;
}
