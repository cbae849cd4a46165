import { describe, expect, it } from 'vitest';
import { KeyCollection } from './collect-keys.ts';

const collect = (...payloads: unknown[]) => {
  const collection = new KeyCollection();
  for (const payload of payloads) collection.add(payload);
  return collection.list();
};
const paths = (...payloads: unknown[]) => collect(...payloads).map(({ path }) => path.join('.'));

describe('the keys of payloads', () => {
  it('have the number of payloads, their types and different values', () => {
    expect(collect({ level: 'fatal' }, { level: 'error', n: 1 }, { level: null }, { level: 'error' })).toEqual([
      { path: ['level'], payloads: 4, types: ['string', 'null'], examples: ['fatal', 'error', null] },
      { path: ['n'], payloads: 1, types: ['number'], examples: [1] },
    ]);
  });

  it('are found where matching looks: in objects and in the objects of arrays, not in arrays inside arrays', () => {
    const [commits, id, ...more] = collect({ commits: [{ id: 'a' }, { id: 'b' }, [{ no: 1 }], 7] });
    expect(commits).toMatchObject({ path: ['commits'], types: ['object', 'number'], examples: [7], payloads: 1 });
    expect(id).toMatchObject({ path: ['commits', 'id'], examples: ['a', 'b'], payloads: 1 });
    expect(more).toEqual([]);
    expect(paths([{ a: 1 }, { b: 2 }])).toEqual(['a', 'b']);
  });

  it.each([null, 1, 'text', [], [1, [2]], {}])('of %j are none', (payload) => {
    expect(paths(payload)).toEqual([]);
  });

  it('are never deeper than a filter may be', () => {
    let payload: unknown = 1;
    for (let level = 0; level < 40; level++) payload = { k: payload };
    expect(Math.max(...collect(payload).map(({ path }) => path.length))).toBe(10);
  });

  it('are 500 at most, five values each, none of them long', () => {
    const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, 1]));
    expect(paths(wide)).toHaveLength(500);
    const values = Array.from({ length: 9 }, (_, index) => ({ v: `v${index}` }));
    expect(collect({ v: 'x'.repeat(101) }, ...values)[0]!.examples).toEqual(['v0', 'v1', 'v2', 'v3', 'v4']);
    expect(paths({ ['k'.repeat(201)]: 1 })).toEqual([]);
  });

  it('harm nobody by their names', () => {
    expect(paths(JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}'))).toEqual([
      '__proto__',
      '__proto__.polluted',
      'constructor',
    ]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
