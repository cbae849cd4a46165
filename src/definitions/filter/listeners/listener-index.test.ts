import { describe, expect, it } from 'vitest';
import { onPayload, received } from '../../../../test/helpers/payload-filter.ts';
import { filterOf } from '../../../domain/definitions/trigger.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { ListenerIndex } from './listener-index.ts';

function indexOf(filters: Record<string, JsonObject[]>): ListenerIndex {
  const index = new ListenerIndex();
  for (const [automation, list] of Object.entries(filters))
    index.add({ automation, version: 1, enabled: true, filters: list.map((payload) => filterOf({ payload })) });
  return index;
}

const namesOf = (index: ListenerIndex, payload: unknown) =>
  index.match(received(payload)).map(({ automation }) => automation);

/** Counts the payload keys that are read. */
function countReads(payload: JsonObject): { payload: JsonObject; reads: () => number } {
  let reads = 0;
  const counted = new Proxy(payload, {
    get: (target, key) => {
      reads += 1;
      return target[key as string];
    },
  });
  return { payload: counted, reads: () => reads };
}

describe('the index of listeners', () => {
  it('lists the automations by name, with their versions', () => {
    const index = indexOf({ b: [{}], a: [{ level: ['error'] }] });
    index.add({ automation: 'c', version: 7, enabled: true, filters: [onPayload({ level: { not_in: ['info'] } })] });
    expect(index.match(received({ level: 'error' }))).toEqual([
      { automation: 'a', version: 1 },
      { automation: 'b', version: 1 },
      { automation: 'c', version: 7 },
    ]);
    expect(namesOf(index, { level: 'info' })).toEqual(['b']);
  });

  it('needs no payload if no enabled automation has a filter', () => {
    const index = indexOf({ a: [{}], b: [{ level: ['error'] }, {}], c: [{ level: [] }] });
    index.add({ automation: 'd', version: 1, enabled: false, filters: [onPayload({ level: ['error'] })] });
    expect(index.needsPayload).toBe(false);
    expect(namesOf(index, undefined)).toEqual(['a', 'b']);
    expect([index.has('c'), index.has('d'), index.size]).toEqual([true, true, 4]);
    index.add({ automation: 'e', version: 1, enabled: true, filters: [onPayload({ level: ['error'] })] });
    expect(index.needsPayload).toBe(true);
  });

  it('starts an automation once if several filters, values and elements match', () => {
    const filter = { tags: { name: ['x', 'y'] } };
    const index = indexOf({ a: [filter, { kind: { exists: true } }] });
    expect(namesOf(index, { kind: 1, tags: [{ name: ['x', 'y', 'x'] }, { name: 'y' }] })).toEqual(['a']);
  });

  it.each([
    ['one key with another value each', (i: number): JsonObject => ({ id: [i], action: ['opened'] })],
    ['another key each', (i: number): JsonObject => ({ [`key${i}`]: ['x'], action: ['opened'] })],
    ['lists of values', (i: number): JsonObject => ({ id: [i, -i - 1], action: ['opened', 'closed'] })],
    ['an equal condition without values', (i: number): JsonObject => ({ gone: { exists: true }, id: { not_in: [i] } })],
  ])('reads the same keys for 2,000 filters as for 10, for %s', (_what, filterOf) => {
    const reads = [10, 2_000].map((count) => {
      const index = indexOf(Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, [filterOf(i)]])));
      const counted = countReads({ id: 'none', action: 'opened', key: 'x' });
      expect(namesOf(index, counted.payload)).toEqual([]);
      return counted.reads();
    });
    expect(reads[1]).toBeLessThanOrEqual(reads[0]! + 1);
  });

  it('evaluates a path once for all its conditions', () => {
    const filters = Array.from({ length: 1_000 }, (_, i) => [`a${i}`, [{ id: { not_in: ['none', i] } }]]);
    const counted = countReads({ id: 'none' });
    expect(namesOf(indexOf(Object.fromEntries(filters)), counted.payload)).toEqual([]);
    expect(counted.reads()).toBe(1);
  });

  it('reads no key of removed automations', () => {
    const index = indexOf({ kept: [{ kind: ['x'] }], a: [{ id: { not_in: [1] } }], b: [{ number: [2, 3] }] });
    index.remove('a');
    index.remove('b');
    const counted = countReads({ kind: 'y', id: 2, number: 4 });
    expect(namesOf(index, counted.payload)).toEqual([]);
    expect(counted.reads()).toBe(1);
  });

  it('finds own keys only', () => {
    const index = indexOf({ a: [{ constructor: { exists: true } }], b: [{ toString: { not_in: [1] } }] });
    expect(namesOf(index, {})).toEqual(['b']);
    expect(namesOf(indexOf({ p: [JSON.parse('{"__proto__": ["x"]}')] }), JSON.parse('{"__proto__": "x"}'))).toEqual([
      'p',
    ]);
  });
});
