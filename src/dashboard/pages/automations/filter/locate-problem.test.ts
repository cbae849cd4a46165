import { describe, expect, it } from 'vitest';
import { findRepeatedKeys, locateProblem } from './locate-problem.ts';

function locate(text: string, pointer: string): string {
  const { from, to } = locateProblem(text, pointer);
  return text.slice(from, to);
}

describe('locateProblem', () => {
  const text = '{"a": {"b/c": [1, {"x": 2}], "d~": "one"}}';

  it('finds keys, elements and keys in elements', () => {
    expect(locate(text, '#/filter/a')).toBe('{"a": {"b/c": [1, {"x": 2}], "d~": "one"}}');
    expect(locate(text, '#/a')).toBe('"a"');
    expect(locate(text, '#/a/b~1c')).toBe('"b/c"');
    expect(locate(text, '#/a/b~1c/1')).toBe('{"x": 2}');
    expect(locate(text, '#/a/b~1c/1/x')).toBe('"x"');
    expect(locate(text, '#/a/d~0')).toBe('"d~"');
  });

  it('returns the nearest existing parent', () => {
    expect(locate(text, '#/a/missing/deeper')).toBe('"a"');
    expect(locate('[1]', '#')).toBe('[1]');
    expect(locate('', '#/a')).toBe('');
  });

  it('returns the last of duplicate keys, which is the one in use', () => {
    expect(locateProblem('{"a": [1], "a": 2}', '#/a').from).toBe(11);
  });
});

describe('findRepeatedKeys', () => {
  it('finds duplicate keys, also with escapes', () => {
    const found = findRepeatedKeys('{"a": {"b": [1]}, "b": [1], "\\u0061": [2]}');
    expect(found.map(({ key, from }) => [key, from])).toEqual([['a', 28]]);
  });
});
