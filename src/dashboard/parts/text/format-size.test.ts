import { expect, it } from 'vitest';
import { formatSize } from './format-size.ts';

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [10_485_760, '10.0 MiB'],
])('%i bytes read as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
