import { expect, it } from 'vitest';
import { countOf } from './count-of.ts';

it.each([
  [countOf(0, 'run'), '0 runs'],
  [countOf(1, 'run'), '1 run'],
  [countOf(2, 'delivery', 'deliveries'), '2 deliveries'],
  [countOf(1, 'delivery', 'deliveries'), '1 delivery'],
])('countOf returns %s', (text, expected) => {
  expect(text).toBe(expected);
});
