import { describe, expect, it } from 'vitest';
import { formatAge, formatInstantWithAge } from './format-time.ts';

const NOW_MS = Date.parse('2026-01-02T03:04:05.678Z');
const agoFrom = (ms: number) => new Date(NOW_MS - ms).toISOString();

describe('formatAge', () => {
  it.each([
    [0, 'just now'],
    [999, 'just now'],
    [1000, '1s ago'],
    [59_999, '59s ago'],
    [60_000, '1m ago'],
    [3_600_000, '1h ago'],
    [86_400_000 * 3, '3d ago'],
    [-5000, 'just now'],
  ])('says of %d ms: %s', (ms, expected) => {
    expect(formatAge(agoFrom(ms), NOW_MS)).toBe(expected);
  });

  it('is a dash for null and for an invalid time', () => {
    expect([formatAge(null, NOW_MS), formatAge('soon', NOW_MS)]).toEqual(['-', '-']);
  });

  it('follows the exact time in formatInstantWithAge', () => {
    expect(formatInstantWithAge(agoFrom(90_000), NOW_MS)).toBe('2026-01-02T03:02:35.678Z (1m ago)');
  });
});
