import { describe, expect, it } from 'vitest';
import { RetentionTime } from './retention-time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.parse('2026-11-22T08:00:00Z');

describe('the time of retention', () => {
  it('follows the clock in a new database and while the daemon runs', () => {
    const time = new RetentionTime(null, NOW_MS);
    expect(time.advance(NOW_MS, 0)).toEqual({ passedAtMs: NOW_MS, horizonMs: NOW_MS });
    expect(time.advance(NOW_MS + 60_000, 60_000).horizonMs).toBe(NOW_MS + 60_000);
    expect(time.findLag(NOW_MS + 60_000)).toBeNull();
  });

  it('catches up by six hours per hour after a downtime, regardless of the number of passes', () => {
    const left = NOW_MS - 30 * DAY_MS;
    const time = new RetentionTime({ passedAtMs: left, horizonMs: left }, NOW_MS);
    expect(time.advance(NOW_MS, 1_000).horizonMs).toBe(left);
    for (let minute = 1; minute <= 60; minute += 1) time.advance(NOW_MS + minute * 60_000, 1_000 + minute * 60_000);
    expect(time.advance(NOW_MS + HOUR_MS, 1_000 + HOUR_MS).horizonMs).toBe(left + 6 * HOUR_MS);
    expect(time.findLag(NOW_MS + HOUR_MS)).toBe(30 * DAY_MS - 5 * HOUR_MS);
    expect(time.advance(NOW_MS + 6 * DAY_MS, 1_000 + 6 * DAY_MS).horizonMs).toBe(NOW_MS + 6 * DAY_MS);
    expect(time.findLag(NOW_MS + 6 * DAY_MS)).toBeNull();
  });

  it('continues from the mark of the previous daemon, even if that was behind', () => {
    const mark = { passedAtMs: NOW_MS, horizonMs: NOW_MS - 10 * DAY_MS };
    const time = new RetentionTime(mark, NOW_MS);
    expect(time.advance(NOW_MS, 0)).toEqual(mark);
  });

  it('moves back with a clock that was ahead', () => {
    const mark = { passedAtMs: NOW_MS, horizonMs: NOW_MS + 365 * DAY_MS };
    expect(new RetentionTime(mark, NOW_MS).advance(NOW_MS, 0).horizonMs).toBe(NOW_MS);
  });
});
