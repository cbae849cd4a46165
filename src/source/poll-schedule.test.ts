import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computePollDelayMs, startPolling } from './poll-schedule.ts';

describe('The delay between two looks at a remote repository', () => {
  it.each([
    [30_000, 0, 0.5, 30_000],
    [30_000, 1, 0.5, 60_000],
    [30_000, 3, 0.5, 240_000],
    [30_000, 4, 0.5, 300_000],
    [30_000, 4_000, 0.5, 300_000],
    [600_000, 5, 0.5, 600_000],
    [30_000, 0, 0, 27_000],
  ])('of %d ms after %d failures with chance %d is %d ms', (intervalMs, failures, random, expected) => {
    expect(computePollDelayMs(intervalMs, failures, random)).toBe(expected);
  });

  it('stays within a tenth of the longest, whatever happens', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 300_000 }),
        fc.nat(),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (interval, failures, random) => {
          const delay = computePollDelayMs(interval, failures, random);
          return delay >= interval * 0.9 - 1 && delay <= 330_000;
        },
      ),
    );
  });
});

describe('Polling', () => {
  it('backs off while looks fail, comes back when one succeeds, and ends when cancelled', () => {
    const set: { callback: () => void; delayMs: number }[] = [];
    let cancelled = 0;
    const clock = {
      setTimer(callback: () => void, delayMs: number) {
        set.push({ callback, delayMs });
        return () => void cancelled++;
      },
      random: () => 0.5,
    };
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
      set.at(-1)!.callback();
    }
    expect(set.map((timer) => timer.delayMs)).toEqual([1000, 2000, 4000, 1000]);
    cancel();
    expect([looks, cancelled]).toEqual([3, 1]);
  });
});
