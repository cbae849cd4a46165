import { expect, it } from 'vitest';
import { OrderedLookup } from './ordered-lookup.ts';

const lookup = new OrderedLookup(['a', 'b', 'c'], [1, 2, 3]);

it('finds a key at its index and at any other', () => {
  expect([0, 1, 2, 7].map((index) => lookup.get('b', index))).toEqual([2, 2, 2, 2]);
});

it('finds nothing for an unknown key, also at an index without a key', () => {
  expect([lookup.get('d', 0), lookup.get('d', 9)]).toEqual([undefined, undefined]);
});
