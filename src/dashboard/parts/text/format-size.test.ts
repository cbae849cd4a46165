import { expect, it } from 'vitest';
import { formatBodySize, formatSize } from './format-size.ts';

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [10_485_760, '10.0 MiB'],
])('formats %i bytes as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

it('shows a dash for a body that was not read', () => {
  expect(formatBodySize({ label: 'Rejected (auth)', size: 0 })).toBe('–');
  expect(formatBodySize({ label: 'Rejected (auth)', size: 12 })).toBe('12 B');
  expect(formatBodySize({ label: 'Rejected (invalid JSON)', size: 0 })).toBe('0 B');
});
