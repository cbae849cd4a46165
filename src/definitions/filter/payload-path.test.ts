import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { anyText } from '../../../test/helpers/any-text.ts';
import { formatPath } from '../../domain/words/payload-filters.ts';
import { EVERY_ELEMENT, parsePath } from './payload-path.ts';

test.each<[(string | number)[], string]>([
  [[], ''],
  [['level'], 'level'],
  [['data', 'issue', 'level'], 'data.issue.level'],
  [['items', 0, 'name'], 'items[0].name'],
  [[1, 'name'], '[1].name'],
  [['user-agent', '$ref', '_id', 'straße'], 'user-agent.$ref._id.straße'],
  [['a key'], '["a key"]'],
  [['data', ''], 'data[""]'],
  [['a.b', 'c'], '["a.b"].c'],
  [['1', '-x'], '["1"]["-x"]'],
  [['__proto__', 'constructor'], '__proto__.constructor'],
  [['line\nbreak', '\u001b[31m', '\u202eabc'], '["line\\nbreak"]["\\u001b[31m"]["\\u202eabc"]'],
])('the path %j prints as %s', (path, printed) => {
  expect(formatPath(path)).toBe(printed);
});

test('a very long key is cut with a mark, so that a path stays readable', () => {
  expect(formatPath(['a', 'k'.repeat(5000)])).toBe(`a["${'k'.repeat(100)}… (5000 characters)"]`);
});

describe('parsePath', () => {
  it('reads what formatPath prints', () => {
    const step = fc.oneof(anyText({ maxLength: 20 }), fc.nat({ max: 999_999 }));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (path) => {
        expect(parsePath(formatPath(path))).toEqual(path);
      }),
    );
  });

  it.each([
    ['commits[*].author', ['commits', EVERY_ELEMENT, 'author']],
    ['[0]', [0]],
    ['["a.b"].c', ['a.b', 'c']],
    ['1st.x-y', ['1st', 'x-y']],
  ])('reads %s', (text, path) => {
    expect(parsePath(text)).toEqual(path);
  });

  it.each(['', '.', '.a', 'a.', 'a..b', 'a b', 'a[', 'a[-1]', 'a[01]', 'a["b]', 'a["\\x"]', "a['b']", 'a[**]', '*]'])(
    'rejects %j',
    (text) => {
      expect(parsePath(text)).toBeNull();
    },
  );
});
