import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startPolling } from './start-polling.ts';

/** Records the delays that polling asks for. */
function createClock(random = 0.5) {
  const calls: { callback: () => void; delayMs: number }[] = [];
  let cancelled = 0;
  return {
    calls,
    countCancelled: () => cancelled,
    schedule: (delayMs: number, callback: () => void) => {
      calls.push({ callback, delayMs });
      return () => void cancelled++;
    },
    random: () => random,
  };
}

describe('the delay between two looks at a remote repository', () => {
  it.each([
    [30_000, 0, 0.5, 30_000],
    [30_000, 1, 0.5, 60_000],
    [30_000, 3, 0.5, 240_000],
    [30_000, 4, 0.5, 300_000],
    [30_000, 4_000, 0.5, 300_000],
    [600_000, 5, 0.5, 600_000],
    [30_000, 0, 0, 27_000],
  ])('of %d ms after %d failures with random %d is %d ms', (intervalMs, failures, random, expected) => {
    const clock = createClock(random);
    startPolling(clock, intervalMs, () => failures, vi.fn())();
    expect(clock.calls.map(({ delayMs }) => delayMs)).toEqual([expected]);
  });
});

describe('startPolling', () => {
  it('backs off while looks fail, returns to its interval after a success, and ends when cancelled', async () => {
    const clock = createClock();
    let failures = 0;
    let looks = 0;
    const cancel = startPolling(
      clock,
      1000,
      () => failures,
      () => void looks++,
    );
    for (const count of [1, 2, 0]) {
      failures = count;
      const planned = clock.calls.length;
      clock.calls.at(-1)!.callback();
      await eventually(() => clock.calls.length > planned);
    }
    expect(clock.calls.map(({ delayMs }) => delayMs)).toEqual([1000, 2000, 4000, 1000]);
    cancel();
    expect([looks, clock.countCancelled()]).toEqual([3, 1]);
  });
});
