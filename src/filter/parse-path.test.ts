import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../test/helpers/any-text.ts';
import { formatPath } from './format-path.ts';
import { EVERY_ELEMENT, parsePath } from './parse-path.ts';

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
    'refuses %j',
    (text) => {
      expect(parsePath(text)).toBeNull();
    },
  );
});
