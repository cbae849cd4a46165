import { describe, expect, it } from 'vitest';
import { compilePayload } from '../../../test/helpers/payload-filter.ts';
import { compareNearness, measureNearness } from './nearness.ts';
import { parsePattern } from './parse-pattern.ts';

function measure(filter: unknown, payload: unknown) {
  const parsed = parsePattern(filter);
  if (!parsed.ok) throw new Error('invalid filter');
  return measureNearness(compilePayload(parsed.pattern).explain(payload).trace);
}

describe('the nearness of a miss', () => {
  it.each([
    [{ type: ['a'] }, { type: 'b' }, { held: 0, present: true }],
    [{ type: ['a'] }, {}, { held: 0, present: false }],
    [
      { type: ['a'], id: [1] },
      { type: 'a', id: 2 },
      { held: 1, present: true },
    ],
    [{ gone: { exists: false }, id: [1] }, {}, { held: 0, present: false }],
    [{ data: { type: ['a'], id: [1] } }, { data: { type: 'a' } }, { held: 1, present: false }],
    [{ data: { type: ['a'] }, id: [1] }, { id: 1 }, { held: 0, present: false }],
    [{ list: { type: ['a'], id: [1] } }, { list: [{ type: 'a', id: 2 }] }, { held: 1, present: true }],
  ])('of %j for %j counts the keys that held before the one that decided', (filter, payload, expected) => {
    expect(measure(filter, payload)).toEqual({ matched: false, ...expected });
  });

  it('orders a match first, then the number of keys that held, then a present key', () => {
    const nearness = [
      { matched: false, held: 0, present: false },
      { matched: false, held: 0, present: true },
      { matched: false, held: 2, present: false },
      { matched: true, held: 0, present: true },
    ];
    expect([...nearness].sort(compareNearness)).toEqual(nearness.reverse());
  });
});
