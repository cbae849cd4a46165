import { describe, expect, it } from 'vitest';
import { findRetryDelay, readRetryTerms } from './run-policy.ts';

const FAILED = { state: 'failed', error: 'exit code 1', exitCode: 1 } as const;

describe('findRetryDelay', () => {
  it('doubles the backoff up to its limit, and varies it by a fifth', () => {
    const terms = readRetryTerms({ maxAttempts: 10, backoff: '10s', maxBackoff: '1m' });
    const delays = [1, 2, 3, 4, 9].map((attempt) => findRetryDelay(terms, attempt, FAILED, 0.5));
    expect(delays).toEqual([10_000, 20_000, 40_000, 60_000, 60_000]);
    expect([0, 0.999999].map((random) => findRetryDelay(terms, 1, FAILED, random))).toEqual([8000, 12_000]);
  });

  it('retries every failure by default', () => {
    const terms = readRetryTerms({ maxAttempts: 2 });
    const errors = ['exit code 1', 'timeout', 'interrupted'];
    expect(errors.map((error) => findRetryDelay(terms, 1, { ...FAILED, error }, 0.5))).toEqual([
      30_000, 30_000, 30_000,
    ]);
    expect(findRetryDelay(terms, 2, FAILED, 0.5)).toBeNull();
    expect(findRetryDelay(terms, 1, { state: 'succeeded', error: null, exitCode: 0 }, 0.5)).toBeNull();
  });

  it('never waits less for a later attempt than for the first', () => {
    const terms = readRetryTerms({ maxAttempts: 3, backoff: '1h' });
    expect(findRetryDelay(terms, 2, FAILED, 0.5)).toBe(3_600_000);
  });
});
