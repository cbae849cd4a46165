import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { coalesce } from './coalesce.ts';

describe('events', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('renew at once, and a few times only while they keep coming', () => {
    const renew = vi.fn();
    const { ask } = coalesce(renew);
    ask();
    expect(renew).toHaveBeenCalledTimes(1);
    // One a second for a minute.
    for (let second = 1; second <= 60; second += 1) {
      vi.advanceTimersByTime(1_000);
      ask();
    }
    expect(renew.mock.calls.length).toBeGreaterThanOrEqual(12);
    expect(renew.mock.calls.length).toBeLessThanOrEqual(15);
  });

  it('of a burst are all seen, and renew nothing afterwards', () => {
    const renew = vi.fn();
    const { ask } = coalesce(renew);
    for (let i = 0; i < 100; i += 1) ask();
    expect(renew).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(2_000);
    expect(renew).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(60_000);
    expect(renew).toHaveBeenCalledTimes(2);
    ask();
    expect(renew).toHaveBeenCalledTimes(3);
  });

  it('renew nothing once nobody looks', () => {
    const renew = vi.fn();
    const { ask, cancel } = coalesce(renew);
    ask();
    ask();
    cancel();
    vi.advanceTimersByTime(60_000);
    expect(renew).toHaveBeenCalledTimes(1);
  });
});
