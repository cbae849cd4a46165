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
    ['', 1, 1, 'A value was expected here.'],
    ['{"a": 1,}', 1, 9, 'A key in double quotes was expected here.'],
    ['[1,\n 2,\n]', 3, 1, 'A value was expected here.'],
    ['{\r\n"a" 1}', 2, 5, 'A ":" was expected after the key.'],
    ["{'a': 1}", 1, 2, 'A key in double quotes or a "}" was expected here.'],
    ['[1 2]', 1, 4, 'A "," or a "]" was expected here.'],
    ['{"a": 1', 1, 8, 'A "," or a "}" was expected here.'],
    ['{} // done', 1, 4, 'Nothing may follow the value.'],
    ['["a\nb"]', 1, 4, 'A text may not hold a line break or another control character.'],
    ['["\\x41"]', 1, 3, 'The "\\" in this text begins no known escape.'],
    ['["open]', 1, 2, 'The text that begins here is never closed with a double quote.'],
    ['[01]', 1, 3, 'A "," or a "]" was expected here.'],
  ])('says where %j stops being JSON', (text, line, column, message) => {
    expect(parseJson(text)).toEqual({ ok: false, at: { line, column }, message });
  });
});
