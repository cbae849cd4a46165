import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, LOCAL_BACKOFF, pause, retryWithBackoff } from './backoff.ts';

describe('backoffMs', () => {
  it('doubles after each failure, up to its limit', () => {
    const delays = [1, 2, 3, 8, 9, 1000].map((failures) => backoffMs(LOCAL_BACKOFF, failures));
    expect(delays).toEqual([250, 500, 1000, 30_000, 30_000, 30_000]);
  });

  it('varies by its jitter in both directions', () => {
    const backoff = { firstMs: 1000, maxMs: 8000, jitter: 0.1 };
    expect([0, 0.5, 0.75].map((random) => backoffMs(backoff, 2, random))).toEqual([1800, 2000, 2100]);
  });

  it('stays within its bounds for any number of failures', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300_000 }),
        fc.integer({ min: 1 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (firstMs, failures, random) => {
          const delayMs = backoffMs({ firstMs, maxMs: 300_000, jitter: 0.1 }, failures, random);
          return delayMs >= firstMs * 0.9 - 1 && delayMs <= 330_000;
        },
      ),
    );
  });
});

describe('pause', () => {
  it('ends with its signal', async () => {
    expect(await pause(1, new AbortController().signal)).toBe(true);
    expect(await pause(1_000_000, AbortSignal.abort())).toBe(false);
  });
});

describe('retryWithBackoff', () => {
  it('resolves with the value of the first attempt that succeeds and reports the failures before it', async () => {
    const failures: number[] = [];
    let calls = 0;
    const operation = async () => {
      if (calls++ === 0) throw new Error('not yet');
      return 'done';
    };
    const outcome = await retryWithBackoff(operation, new AbortController().signal, (_error, count) =>
      failures.push(count),
    );
    expect(outcome).toEqual({ value: 'done' });
    expect(failures).toEqual([1]);
  });

  it('gives up a few attempts after its signal', async () => {
    let calls = 0;
    const operation = async () => {
      calls++;
      throw new Error('never');
    };
    expect(await retryWithBackoff(operation, AbortSignal.abort(), () => undefined)).toBeNull();
    expect(calls).toBe(3);
  });
});
