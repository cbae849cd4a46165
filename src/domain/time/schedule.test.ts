import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callAt, scheduleCall } from './schedule.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('scheduleCall', () => {
  it('calls back once, after the delay', () => {
    const callback = vi.fn();
    scheduleCall(100, callback);
    vi.advanceTimersByTime(99);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(callback).toHaveBeenCalledOnce();
  });

  it('does not call back after it was cancelled', () => {
    const callback = vi.fn();
    scheduleCall(100, callback)();
    vi.advanceTimersByTime(1000);
    expect(callback).not.toHaveBeenCalled();
  });

  it('waits for delays that no timer of Node can hold', () => {
    const callback = vi.fn();
    const cancelled = vi.fn();
    const delayMs = 2 * (2 ** 31 - 1) + 5;
    scheduleCall(delayMs, callback);
    const cancel = scheduleCall(delayMs, cancelled);
    vi.advanceTimersByTime(delayMs - 1);
    expect(callback).not.toHaveBeenCalled();
    cancel();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledOnce();
    expect(cancelled).not.toHaveBeenCalled();
  });
});

describe('callAt', () => {
  it('waits again when a timer fires before the instant', () => {
    const callback = vi.fn();
    let nowMs = 0;
    callAt(10, { monotonicMs: () => nowMs }, callback);
    nowMs = 9.5;
    vi.advanceTimersByTime(10);
    expect(callback).not.toHaveBeenCalled();
    nowMs = 10;
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledOnce();
  });

  it('cancels a call that was armed again', () => {
    const callback = vi.fn();
    const cancel = callAt(10, { monotonicMs: () => 0 }, callback);
    vi.advanceTimersByTime(10);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
  });
});
