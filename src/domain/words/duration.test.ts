import { describe, expect, it } from 'vitest';
import { formatDuration } from './duration.ts';

describe('formatDuration', () => {
  it.each([
    [-1, '0ms'],
    [840, '840ms'],
    [12_345, '12.3s'],
    [0, '0ms'],
    [999, '999ms'],
    [250_000, '4m 10s'],
    [7_500_000, '2h 5m'],
    [3_720_000, '1h 2m'],
  ])('writes %d ms as %s', (ms, expected) => {
    expect(formatDuration(ms)).toBe(expected);
  });
});
