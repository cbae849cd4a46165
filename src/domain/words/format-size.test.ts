import { expect, it } from 'vitest';
import { formatSize } from './format-size.ts';

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
