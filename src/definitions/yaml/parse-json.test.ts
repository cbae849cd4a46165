import { describe, expect, it } from 'vitest';
import { parseJson } from './parse-json.ts';

const TEXT = `{
  "a": [1, {"b": "c"}],
  "d": {"e": null},
  "x": 1, "x": [2, 3]
}`;

function locate(path: (string | number)[]) {
  const parsed = parseJson(TEXT);
  if (!parsed.ok) throw new Error(parsed.message);
  const { key, value } = parsed.json.locate(path);
  return `${key.line}:${key.column} ${value.line}:${value.column}`;
}

describe('parseJson', () => {
  it.each([
    ['the whole text', [], '1:1 1:1'],
    ['a value and its key', ['a'], '2:3 2:8'],
    ['an entry of an array', ['a', 1], '2:12 2:12'],
    ['what lies deeper at the place around it', ['a', 1, 'b'], '2:12 2:12'],
    ['a value below an object', ['d', 'e'], '3:9 3:14'],
    ['the last of two values under one key', ['x'], '4:11 4:16'],
    ['an entry of that one', ['x', 1], '4:20 4:20'],
    ['the innermost value there is', ['d', 'e', 'f'], '3:9 3:14'],
    ['the object, where a key is missing', ['d', 'nope'], '3:3 3:8'],
  ])('locates %s', (_what, path, place) => {
    expect(locate(path)).toBe(place);
  });

  it.each([
    ['', 1, 1, 'Expected a value.'],
    ['{"a": 1,}', 1, 9, 'Expected a key in double quotes.'],
    ['[1,\n 2,\n]', 3, 1, 'Expected a value.'],
    ['{\r\n"a" 1}', 2, 5, 'Expected ":" after the key.'],
    ["{'a': 1}", 1, 2, 'Expected a key in double quotes, or "}".'],
    ['[1 2]', 1, 4, 'Expected "," or "]".'],
    ['{"a": 1', 1, 8, 'Expected "," or "}".'],
    ['{} // done', 1, 4, 'Unexpected text after the value.'],
    ['["a\nb"]', 1, 4, 'A string must not contain a line break or another control character.'],
    ['["\\x41"]', 1, 3, 'This "\\" is not followed by a valid escape.'],
    ['["open]', 1, 2, 'The string that starts here has no closing double quote.'],
    ['[01]', 1, 3, 'Expected "," or "]".'],
  ])('says where %j stops being JSON', (text, line, column, message) => {
    expect(parseJson(text)).toEqual({ ok: false, at: { line, column }, message });
  });
});
