import { describe, expect, it } from 'vitest';
import { backoffMs, pause, retryWithBackoff } from './backoff.ts';

describe('the pause between tries', () => {
  it('doubles and stays at half a minute', () => {
    expect([1, 2, 3, 8, 9, 1000].map(backoffMs)).toEqual([250, 500, 1000, 30_000, 30_000, 30_000]);
  });

  it('ends with its signal', async () => {
    expect(await pause(1, new AbortController().signal)).toBe(true);
    expect(await pause(1_000_000, AbortSignal.abort())).toBe(false);
  });
});

describe('retrying', () => {
  it('answers with the value of the first try that succeeds and tells of the failures before it', async () => {
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

  it('gives up a few tries after its signal', async () => {
    let calls = 0;
    const operation = async () => {
      calls++;
      throw new Error('never');
    };
    expect(await retryWithBackoff(operation, AbortSignal.abort(), () => undefined)).toBeNull();
    expect(calls).toBe(3);
  });
});
