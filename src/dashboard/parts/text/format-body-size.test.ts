import { expect, it } from 'vitest';
import { formatBodySize } from './format-body-size.ts';

it('shows a dash for a body that was not read', () => {
  expect(formatBodySize({ label: 'Rejected (auth)', size: 0 })).toBe('–');
  expect(formatBodySize({ label: 'Rejected (auth)', size: 12 })).toBe('12 B');
  expect(formatBodySize({ label: 'Rejected (invalid JSON)', size: 0 })).toBe('0 B');
});
