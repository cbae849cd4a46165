import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as answers from '../transport/answers.ts';
import { answerInTime } from './record-delivery.ts';

describe('the answer to a delivery', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('does not wait for the storage longer than senders wait', async () => {
    const answered = expect(answerInTime(new Promise(() => {}))).rejects.toMatchObject({ code: 'storage_unavailable' });
    await vi.advanceTimersByTimeAsync(7999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await answered;
  });

  it('is that of the storage before that, and leaves no timer', async () => {
    const outcome = answers.accepted({ status: 202, body: null }, 'one');
    await expect(answerInTime(Promise.resolve(outcome))).resolves.toBe(outcome);
    await expect(answerInTime(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(vi.getTimerCount()).toBe(0);
  });
});
