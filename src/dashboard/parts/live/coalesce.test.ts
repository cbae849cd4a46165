import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { coalesce } from './coalesce.ts';

const PAUSES = { firstMs: 2_000, longestMs: 5_000 };

describe('coalesce', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('calls back immediately, and only a few times while events keep coming', () => {
    const refresh = vi.fn();
    const { ask } = coalesce(refresh, PAUSES);
    ask();
    expect(refresh).toHaveBeenCalledTimes(1);
    // One a second for a minute.
    for (let second = 1; second <= 60; second += 1) {
      vi.advanceTimersByTime(1_000);
      ask();
    }
    expect(refresh.mock.calls.length).toBeGreaterThanOrEqual(12);
    expect(refresh.mock.calls.length).toBeLessThanOrEqual(15);
  });

  it('calls back a second time after a burst', () => {
    const refresh = vi.fn();
    const { ask } = coalesce(refresh, PAUSES);
    for (let i = 0; i < 100; i += 1) ask();
    expect(refresh).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(2_000);
    expect(refresh).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(60_000);
    expect(refresh).toHaveBeenCalledTimes(2);
    ask();
    expect(refresh).toHaveBeenCalledTimes(3);
  });

  it('does not call back after cancel', () => {
    const refresh = vi.fn();
    const { ask, cancel } = coalesce(refresh, PAUSES);
    ask();
    ask();
    cancel();
    vi.advanceTimersByTime(60_000);
    expect(refresh).toHaveBeenCalledTimes(1);
  });
});
