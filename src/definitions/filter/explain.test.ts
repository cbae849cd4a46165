import { describe, expect, test } from 'vitest';
import { compilePayload } from '../../../test/helpers/payload-filter.ts';
import type { Explanation } from './explain.ts';
import { parsePattern } from './parse-pattern.ts';

function explain(filter: unknown, payload: unknown): Explanation {
  const parsed = parsePattern(filter);
  if (!parsed.ok) throw new Error(parsed.problems.map((problem) => problem.message).join(' '));
  return compilePayload(parsed.pattern).explain(payload);
}

describe('the entry that decided', () => {
  test('contains path, operator, expectation and value', () => {
    const filter = { data: { issue: { level: ['fatal', 'error'] } } };
    expect(explain(filter, { data: { issue: { level: 'warning' } } }).decidedBy).toEqual({
      path: 'data.issue.level',
      operator: 'in',
      expected: ['fatal', 'error'],
      actual: 'warning',
      present: true,
      matched: false,
      message: 'data.issue.level is "warning", expected one of "fatal", "error"',
    });
  });

  test('is the first that failed, in the order of the filter', () => {
    const { decidedBy, trace } = explain({ a: ['x'], b: ['x'], c: ['x'] }, { a: 'x', b: 'y', c: 'z' });
    expect(decidedBy?.path).toBe('b');
    expect(trace.map(({ path, matched }) => [path, matched])).toEqual([
      ['a', true],
      ['b', false],
      ['c', false],
    ]);
  });

  test('is none when the payload matches', () => {
    expect(explain({ a: ['x'] }, { a: 'x' })).toEqual({
      matched: true,
      decidedBy: null,
      trace: [
        {
          path: 'a',
          operator: 'in',
          expected: ['x'],
          actual: 'x',
          present: true,
          matched: true,
          message: 'a is "x", as expected ("x")',
        },
      ],
    });
    expect(explain({}, [1])).toEqual({ matched: true, decidedBy: null, trace: [] });
  });

  test('distinguishes an absent key from null', () => {
    expect(explain({ a: ['x'] }, {}).decidedBy).toMatchObject({ actual: null, present: false });
    expect(explain({ a: ['x'] }, { a: null }).decidedBy).toMatchObject({ actual: null, present: true });
  });
});

describe('the message of the entry that decided', () => {
  test.each<[unknown, unknown, string]>([
    [{ a: ['x'] }, {}, 'a is absent, expected "x"'],
    [{ a: ['x', 'y'] }, { a: 'X' }, 'a is "X", expected one of "x", "y" (upper and lower case differ)'],
    [{ a: [1] }, { a: '1' }, 'a is "1", expected 1 (a string is not a number: types are never converted)'],
    [{ a: ['true'] }, { a: true }, 'a is true, expected "true" (a boolean is not a string: types are never converted)'],
    [{ a: ['null'] }, { a: null }, 'a is null, expected "null" (null is not a string: types are never converted)'],
    [
      { a: ['x', 'y'] },
      { a: ['p', 'q'] },
      'a is an array of 2 elements: "p", "q", expected an element that is one of "x", "y"',
    ],
    [{ a: ['x'] }, { a: { b: 1 } }, 'a is an object with 1 key: "b", expected "x"'],
    [
      { a: Array.from({ length: 12 }, (_, index) => index) },
      { a: 99 },
      'a is 99, expected one of 0, 1, 2, 3, 4, 5, 6, 7 or 4 more values',
    ],
    [{ a: { not_in: ['x', 'y'] } }, { a: 'y' }, 'a is "y", which not_in excludes'],
    [
      { a: { not_in: ['x'] } },
      { a: ['p', 'x'] },
      'a is an array of 2 elements: "p", "x"; not_in excludes its element "x"',
    ],
    [{ a: { exists: true } }, {}, 'a is absent, expected to be present'],
    [{ a: { exists: false } }, { a: null }, 'a is null, expected to be absent'],
    [{ a: { b: ['x'] } }, {}, 'a is absent, expected an object or an array with an object'],
    [{ a: { b: ['x'] } }, { a: 'b' }, 'a is "b", expected an object or an array with an object'],
    [{ a: { b: ['x'] } }, { a: [1] }, 'a is an array of 1 element: 1, expected an object or an array with an object'],
    [
      { a: { b: { exists: false } } },
      {},
      'a is absent, expected an object or an array with an object: "exists": false below a requires an object without that key, and no object exists',
    ],
    [{ a: { b: ['x'] } }, 7, 'The payload is 7, expected an object or an array with an object'],
    [
      { a: ['x'] },
      [{ a: 'y' }],
      'The only object in the payload does not match the nested pattern: [0].a is "y", expected "x"',
    ],
    [
      { a: { b: ['x'], c: [1] } },
      { a: [{ b: 'y' }, 'z', { b: 'y', c: 1 }] },
      'None of the 2 objects in a matches the whole nested pattern; the closest is a[2]: a[2].b is "y", expected "x"',
    ],
    [{ 'a key': { 'a.b': ['x'] } }, { 'a key': {} }, '["a key"]["a.b"] is absent, expected "x"'],
  ])('of %j on %j is a sentence', (filter, payload, message) => {
    expect(explain(filter, payload).decidedBy?.message).toBe(message);
  });

  test('stays short and on one line for any payload', () => {
    const { decidedBy } = explain({ a: ['x'] }, { a: `\n\u001b[2J\u202e${'long '.repeat(10_000)}` });
    expect(decidedBy?.message).toMatch(/^a is "\\n\\u001b\[2J\\u202elong .*… \(50006 characters\)", expected "x"$/);
    expect(decidedBy?.message.length).toBeLessThan(300);
    expect(String(decidedBy?.actual).length).toBeLessThan(300);
  });

  test('stays short where the filter itself lists long strings', () => {
    const long = 'v'.repeat(5000);
    const { decidedBy } = explain({ a: [long] }, {});
    expect(decidedBy?.expected).toEqual([`${'v'.repeat(200)}… (5000 characters)`]);
    expect(decidedBy?.message.length).toBeLessThan(300);
  });
});

describe('the trace', () => {
  test('of a match contains each condition', () => {
    const filter = { a: { exists: true, in: ['x'], not_in: ['y'] }, b: { not_in: ['y'] }, c: { exists: false }, d: {} };
    expect(explain(filter, { a: 'x', d: {} }).trace.map(({ message }) => message)).toEqual([
      'a is present, as expected',
      'a is "x", as expected ("x")',
      'a is "x", none of the values that not_in excludes',
      'b is absent, so it has none of the values that not_in excludes',
      'c is absent, as expected',
      'd is an object, as expected',
    ]);
  });

  test('follows the first element of an array that matches', () => {
    const payload = { a: [{ b: 'y' }, { b: 'x', c: [{ d: 2 }, { d: 1 }] }, { b: 'x' }] };
    expect(
      explain({ a: { b: ['x'], c: { d: [1] } } }, payload).trace.map(({ path, message }) => [path, message]),
    ).toEqual([
      ['a', 'a[1] is the first object in a that matches the whole nested pattern'],
      ['a[1].b', 'a[1].b is "x", as expected ("x")'],
      ['a[1].c', 'a[1].c[1] is the first object in a[1].c that matches the whole nested pattern'],
      ['a[1].c[1].d', 'a[1].c[1].d is 1, as expected (1)'],
    ]);
  });

  test('follows the closest element of an array when none matches', () => {
    const payload = {
      commits: [
        { by: 'ann', files: [{ name: 'a' }] },
        { by: 'bob', files: [{ name: 'b' }, { name: 'c' }] },
      ],
    };
    const { trace } = explain({ commits: { by: ['bob'], files: { name: ['x'] } } }, payload);
    expect(trace.map(({ path, operator, matched }) => [path, operator, matched])).toEqual([
      ['commits', 'object', false],
      ['commits[1].by', 'in', true],
      ['commits[1].files', 'object', false],
      ['commits[1].files[0].name', 'in', false],
    ]);
  });

  test('omits conditions below an absent key', () => {
    expect(explain({ a: { b: { c: ['x'] } } }, {}).trace.map(({ path }) => path)).toEqual(['a']);
  });

  test('of a payload with very many elements is done in good time', () => {
    const payload = { a: Array.from({ length: 50_000 }, () => ({ b: 'y' })) };
    const { decidedBy } = explain({ a: { b: ['x'] } }, payload);
    expect(decidedBy?.message).toContain('None of the 50000 objects in a matches');
    expect(decidedBy?.message).toContain('the closest is a[0]');
  });
});
