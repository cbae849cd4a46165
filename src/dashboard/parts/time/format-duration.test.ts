import { expect, it } from 'vitest';
import { formatSize } from '../text/format-size.ts';
import { formatDuration } from './format-duration.ts';

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [12_345, '12.3 s'],
  [250_000, '4 min 10 s'],
  [7_500_000, '2 h 5 min'],
  [-5, '0 ms'],
])('formats %i ms as %s', (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [10_485_760, '10.0 MiB'],
])('formats %i bytes as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
