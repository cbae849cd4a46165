import { describe, expect, it } from 'vitest';
import { countOf, formatDuration, formatSize } from './quantities.ts';

it.each([
  [countOf(0, 'run'), '0 runs'],
  [countOf(1, 'run'), '1 run'],
  [countOf(2, 'delivery', 'deliveries'), '2 deliveries'],
  [countOf(1, 'delivery', 'deliveries'), '1 delivery'],
])('countOf returns %s', (text, expected) => {
  expect(text).toBe(expected);
});

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1536, '1.5 KiB'],
  [10_485_760, '10.0 MiB'],
  [5 * 1024 ** 3, '5.0 GiB'],
  [3000 * 1024 ** 4, '3000.0 TiB'],
])('formats %i bytes as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

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
