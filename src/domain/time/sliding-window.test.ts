import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlidingWindow } from './sliding-window.ts';

const WINDOW_MS = 1_000;

describe('a sliding window', () => {
  it('never admits more than its limit in any window, and never rejects without need', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (limit, gaps) => {
        const window = new SlidingWindow(limit, WINDOW_MS);
        const admitted: number[] = [];
        let nowMs = 0;
        for (const gapMs of gaps) {
          nowMs += gapMs;
          const recent = admitted.filter((at) => at > nowMs - WINDOW_MS).length;
          const isAdmitted = window.admit(nowMs) === 0;
          expect(isAdmitted).toBe(recent < limit);
          expect(window.countFree(nowMs)).toBe(Math.max(0, limit - recent - 1));
          if (isAdmitted) admitted.push(nowMs);
        }
      }),
    );
  });

  it('returns the exact wait of a rejected one', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), gaps, (limit, gapsMs) => {
        const window = new SlidingWindow(limit, WINDOW_MS);
        let nowMs = 0;
        for (const gapMs of gapsMs) {
          nowMs += gapMs;
          const waitMs = window.admit(nowMs);
          if (waitMs === 0) continue;
          expect(window.waitMs(nowMs + waitMs - 1)).toBe(1);
          expect(window.waitMs(nowMs + waitMs)).toBe(0);
        }
      }),
    );
  });

  it('does not count a rejection', () => {
    const window = new SlidingWindow(1, WINDOW_MS);
    expect(window.admit(0)).toBe(0);
    for (let nowMs = 1; nowMs < 1_000; nowMs += 100) expect(window.admit(nowMs)).toBe(1_000 - nowMs);
    expect(window.admit(1_000)).toBe(0);
  });
});
