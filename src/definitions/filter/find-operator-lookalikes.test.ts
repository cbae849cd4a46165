import { describe, expect, it } from 'vitest';
import { findOperatorLookalikes } from './find-operator-lookalikes.ts';
import { parseFilter, parseWrittenFilter } from './parse-filter.ts';

const findIn = (filter: unknown) => findOperatorLookalikes(filter).map(({ path }) => path.join('.'));
const rulesOf = (payload: unknown) => {
  const parsed = parseWrittenFilter({ payload });
  return parsed.ok ? [] : parsed.problems.map(({ rule, path }) => `${rule} ${path.join('.')}`);
};

describe('a key that looks like an operator', () => {
  it.each([
    ['not-in', 'not_in'],
    ['notIn', 'not_in'],
    ['NOT_IN', 'not_in'],
    ['not in', 'not_in'],
    ['notin', 'not_in'],
    ['noin', 'not_in'],
    ['nott_in', 'not_in'],
    ['not_im', 'not_in'],
    ['$in', 'in'],
    ['IN', 'in'],
    ['Exists', 'exists'],
  ])('is %s with a list: %s is meant', (key, operator) => {
    const found = findOperatorLookalikes({ status: { [key]: ['failed'] } });
    expect(found).toMatchObject([{ path: ['status', key], rule: 'filter/looks-like-operator' }]);
    expect(found[0]!.hint).toMatch(new RegExp(`^Did you mean "${operator}"\\? `));
  });

  it('is one of exists with a boolean', () => {
    expect(findIn({ status: { EXISTS: true, 'Ex-ists': false, notIn: true, IN: false } })).toEqual([
      'status.EXISTS',
      'status.Ex-ists',
    ]);
  });

  it.each([
    { status: { in: ['failed'], not_in: ['passed'] } },
    { status: { exists: true } },
    { ins: ['a'], on: ['a'], i_d: ['a'], not: ['a'], notni: ['a'], nothing: ['a'], exist: ['a'], exsts: ['a'] },
    { notIn: { in: ['a'] }, Exists: { exists: true } },
    { notIn: 'a', IN: 1, Exists: 'yes' },
  ])('is no other key: %j', (filter) => {
    expect(findIn(filter)).toEqual([]);
  });

  it('is found at the root and deep below, but not in a filter that is too deep or huge', () => {
    expect(findIn({ notIn: ['a'], a: { b: { c: { notIn: ['x'] } } } })).toEqual(['notIn', 'a.b.c.notIn']);
    const base = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, ['x']]));
    const huge = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, base]));
    expect(findIn({ a: huge, b: huge, c: huge })).toEqual([]);
  });

  it('replaces the problems that follow from it', () => {
    expect(rulesOf({ status: { in: ['a'], notIn: ['b'] } })).toEqual(['filter/looks-like-operator status.notIn']);
    expect(rulesOf({ status: { Exists: true } })).toEqual(['filter/looks-like-operator status.Exists']);
    expect(rulesOf({ status: { notIn: ['a'] }, level: 'x' })).toEqual([
      'filter/looks-like-operator status.notIn',
      'filter/not-a-list level',
    ]);
  });

  it('keeps its meaning in a stored filter', () => {
    expect(parseFilter({ payload: { notIn: ['a'] } }).ok).toBe(true);
  });
});
