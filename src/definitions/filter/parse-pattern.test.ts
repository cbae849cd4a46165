import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PATTERN_RULES, type PatternRule, parsePattern } from './parse-pattern.ts';
import { PATTERN_LIMITS } from './pattern.ts';

type Found = [rule: PatternRule, ...path: (string | number)[]];

function problemsOf(filter: unknown): Found[] {
  const parsed = parsePattern(filter);
  return parsed.ok ? [] : parsed.problems.map(({ rule, path }) => [rule, ...path]);
}

function nest(levels: number, innermost: unknown): unknown {
  return Array.from({ length: levels }, (_, index) => `k${levels - index}`).reduce<unknown>(
    (inner, key) => ({ [key]: inner }),
    innermost,
  );
}

function repeatKeys(count: number, value: unknown): { [key: string]: unknown } {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

describe('a valid filter', () => {
  test.each<[string, unknown]>([
    ['the empty filter', {}],
    ['a bare list of every scalar', { a: ['x', 1, 1.5, -0, 2 ** 53 + 2, true, false, null, ''] }],
    ['a value listed twice', { a: [1, 1.0, 'x', 'x'] }],
    ['all operators on one field', { a: { in: ['x'], not_in: ['y'], exists: true } }],
    ['exists: false with not_in', { a: { exists: false, not_in: ['y'] } }],
    ['a nested pattern', { a: { b: { c: ['x'] }, d: { exists: false } } }],
    ['an empty nested pattern', { a: {} }],
    ['payload fields named like operators', { in: { in: ['x'] }, a: { exists: { not_in: ['x'] }, not_in: {} } }],
    ['keys that objects inherit', JSON.parse('{"__proto__": {"constructor": ["x"]}, "toString": {"exists": false}}')],
    ['the empty key', { '': { '': ['x'] } }],
    ['10 levels, a list below', nest(PATTERN_LIMITS.maxLevels, ['x'])],
    ['10 levels, operators below', nest(PATTERN_LIMITS.maxLevels, { in: ['x'], exists: true })],
    ['10 levels, an empty pattern below', nest(PATTERN_LIMITS.maxLevels, {})],
    ['64 leaf fields', repeatKeys(PATTERN_LIMITS.maxLeaves, ['x'])],
    ['64 leaf fields under one key', { a: repeatKeys(PATTERN_LIMITS.maxLeaves, { in: ['x'], not_in: ['y'] }) }],
    ['32 values in each list', { a: { in: numbers(32), not_in: numbers(64).slice(32) } }],
  ])('%s has no problem', (_, filter) => {
    expect(problemsOf(filter)).toEqual([]);
  });

  test('reads a bare list as in and keeps the order of fields', () => {
    expect(parsePattern({ b: ['x'], a: { not_in: [1], exists: true }, c: { d: {} } })).toEqual({
      ok: true,
      pattern: {
        fields: [
          { key: 'b', condition: { kind: 'leaf', in: ['x'], notIn: null, exists: null } },
          { key: 'a', condition: { kind: 'leaf', in: null, notIn: [1], exists: true } },
          {
            key: 'c',
            condition: { kind: 'object', fields: [{ key: 'd', condition: { kind: 'object', fields: [] } }] },
          },
        ],
      },
    });
  });
});

describe('an invalid filter', () => {
  test.each<[string, unknown, Found[]]>([
    ['null', null, [['filter/not-an-object']]],
    ['a list', [{ a: ['x'] }], [['filter/not-an-object']]],
    ['a string', 'a', [['filter/not-an-object']]],
    ['nothing at all', undefined, [['filter/not-an-object']]],
    ['an operator at the root', { in: ['x'] }, [['filter/operator-at-root', 'in']]],
    ['an operator and a key at the root', { a: ['x'], exists: true }, [['filter/operator-at-root', 'exists']]],
    ['operators mixed with keys', { a: { in: ['x'], b: ['y'] } }, [['filter/mixed-operators', 'a']]],
    [
      'an operator mixed with a field named like one',
      { a: { in: ['x'], exists: { in: [1] } } },
      [['filter/mixed-operators', 'a']],
    ],
    ['a scalar instead of a list', { a: 'x' }, [['filter/not-a-list', 'a']]],
    ['null instead of a list', { a: null }, [['filter/not-a-list', 'a']]],
    ['a scalar after in', { a: { in: 'x' } }, [['filter/not-a-list', 'a', 'in']]],
    ['null after not_in', { a: { not_in: null } }, [['filter/not-a-list', 'a', 'not_in']]],
    ['an empty list', { a: [] }, [['filter/empty-list', 'a']]],
    ['an empty in', { a: { in: [] } }, [['filter/empty-list', 'a', 'in']]],
    ['an empty not_in', { a: { not_in: [], in: [1] } }, [['filter/empty-list', 'a', 'not_in']]],
    ['an object among values', { a: ['x', { b: 1 }] }, [['filter/not-scalar', 'a', 1]]],
    ['a list among values', { a: { not_in: [['x']] } }, [['filter/not-scalar', 'a', 'not_in', 0]]],
    [
      'numbers that JSON does not have',
      { a: [Number.NaN, Number.POSITIVE_INFINITY] },
      [
        ['filter/not-scalar', 'a', 0],
        ['filter/not-scalar', 'a', 1],
      ],
    ],
    ['exists without a boolean', { a: { exists: 'yes' } }, [['filter/bad-exists', 'a', 'exists']]],
    ['exists with a list', { a: { exists: [true] } }, [['filter/bad-exists', 'a', 'exists']]],
    ['a value both in and not_in', { a: { in: ['x', 1], not_in: [1.0, 'y'] } }, [['filter/contradiction', 'a']]],
    ['zero and minus zero', { a: { in: [0], not_in: [-0] } }, [['filter/contradiction', 'a']]],
    ['exists: false with in', { a: { exists: false, in: [null] } }, [['filter/contradiction', 'a']]],
    ['11 levels', nest(11, ['x']), [['filter/too-deep', ...numbers(11).map((index) => `k${index + 1}`)]]],
    ['65 leaf fields', repeatKeys(65, ['x']), [['filter/too-many-leaves', 'k64']]],
    [
      '65 leaf fields, some empty patterns',
      { a: repeatKeys(40, {}), b: repeatKeys(25, { exists: true }) },
      [['filter/too-many-leaves', 'b', 'k24']],
    ],
    ['33 values', { a: numbers(33) }, [['filter/too-many-values', 'a']]],
    ['33 values after not_in', { a: { not_in: numbers(33) } }, [['filter/too-many-values', 'a', 'not_in']]],
  ])('%s is rejected', (_, filter, problems) => {
    expect(problemsOf(filter)).toEqual(problems);
  });

  test('reports all its problems together', () => {
    const filter = {
      exists: true,
      a: 'x',
      b: { in: [], not_in: [{}], exists: 1, c: [] },
      d: { in: [1], not_in: [1], exists: false },
      e: nest(10, ['x']),
      f: numbers(33),
    };
    expect(problemsOf(filter).map(([rule]) => rule)).toEqual([
      'filter/operator-at-root',
      'filter/not-a-list',
      'filter/mixed-operators',
      'filter/empty-list',
      'filter/empty-list',
      'filter/not-scalar',
      'filter/bad-exists',
      'filter/contradiction',
      'filter/contradiction',
      'filter/too-deep',
      'filter/too-many-values',
    ]);
  });

  test('gets a message and a hint', () => {
    expect(parsePattern({ level: 'error' })).toEqual({
      ok: false,
      problems: [
        {
          path: ['level'],
          rule: 'filter/not-a-list',
          message:
            'The condition must be a list of values, an object with operators, or a nested filter, but is "error".',
          hint: PATTERN_RULES['filter/not-a-list'],
        },
      ],
    });
  });
});

describe('a hostile filter', () => {
  test('100,000 objects deep is rejected as too deep', () => {
    const filter: unknown = JSON.parse(`${'{"a":'.repeat(100_000)}["x"]${'}'.repeat(100_000)}`);
    expect(problemsOf(filter)).toEqual([['filter/too-deep', ...Array<string>(11).fill('a')]]);
  });

  test('100,000 lists deep is rejected as no scalar', () => {
    const filter: unknown = JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    expect(problemsOf(filter)).toEqual([['filter/not-scalar', 'a', 0]]);
  });

  test('with thousands of problems shows the first hundred and counts the rest', () => {
    const parsed = parsePattern(repeatKeys(5000, []));
    const problems = parsed.ok ? [] : parsed.problems;
    expect(problems).toHaveLength(101);
    // 5000 empty lists and one finding about the number of leaf fields.
    expect(problems.at(-1)).toMatchObject({ rule: 'filter/more-problems', message: '4901 more problems not listed.' });
  });

  test('that shares objects a billion times over is not walked to its end', () => {
    const filter = numbers(9).reduce<unknown>((inner) => repeatKeys(10, inner), ['x']);
    expect(parsePattern(filter)).toMatchObject({
      ok: false,
      problems: [
        {
          rule: 'filter/too-many-leaves',
          message: 'The filter has more than 10000 fields. The limit is 64 leaf fields.',
        },
      ],
    });
  });

  test('that contains itself is rejected as too deep', () => {
    const filter: { [key: string]: unknown } = {};
    filter.a = filter;
    expect(problemsOf(filter)).toEqual([['filter/too-deep', ...Array<string>(11).fill('a')]]);
  });

  test('of any kind gives a pattern or problems, never an exception', () => {
    fc.assert(
      fc.property(
        fc.anything({
          maxDepth: 5,
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withSparseArray: true,
        }),
        (filter) => {
          const parsed = parsePattern(filter);
          expect(parsed.ok || parsed.problems.length > 0).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('the hint for a value that should be a list', () => {
  const hintFor = (filter: object) => {
    const parsed = parsePattern(filter);
    return parsed.ok ? null : parsed.problems[0]!.hint;
  };

  test.each([
    ['failed, passed', '["failed", "passed"]'],
    ['failed', '["failed"]'],
    [3, '[3]'],
    [null, '[null]'],
    ['', '["error"]'],
    ['x'.repeat(500), '["error"]'],
  ])('shows the list that was probably meant by %j', (value, list) => {
    const hint = `Write a list, also for a single value: ${list}.`;
    expect([hintFor({ status: value }), hintFor({ status: { in: value } })]).toEqual([hint, hint]);
  });
});
