import { describe, expect, it } from 'vitest';
import type { Json } from '../../domain/json.ts';
import { redactBody } from './redact-body.ts';

function redact(json: string, ...paths: string[]): string {
  const body = JSON.parse(json) as Json;
  redactBody(body, paths);
  return JSON.stringify(body);
}

describe('redactBody', () => {
  it.each([
    ['{"a": "x"}', 'a', '{"a":"REDACTED"}'],
    ['{"a": 7}', 'a', '{"a":0}'],
    ['{"a": true}', 'a', '{"a":false}'],
    ['{"a": null}', 'a', '{"a":null}'],
    ['{"a": ["x"]}', 'a', '{"a":[]}'],
    ['{"a": {"b": 1}}', 'a', '{"a":{}}'],
    ['{"a": {"b": "x", "c": "y"}}', 'a.b', '{"a":{"b":"REDACTED","c":"y"}}'],
    ['{"a": [{"b": "x"}, {"b": "y"}]}', 'a[1].b', '{"a":[{"b":"x"},{"b":"REDACTED"}]}'],
    ['{"a": [{"b": "x"}, {"b": 1}, {}]}', 'a[*].b', '{"a":[{"b":"REDACTED"},{"b":0},{}]}'],
    ['["x", "y"]', '[0]', '["REDACTED","y"]'],
    ['{"a key": "x"}', '["a key"]', '{"a key":"REDACTED"}'],
    ['{"__proto__": "x"}', '__proto__', '{"__proto__":"REDACTED"}'],
  ])('in %s replaces %s', (json, path, expected) => {
    expect(redact(json, path)).toBe(expected);
  });

  it.each(['b', 'a.b', 'a[0]', 'list[2]', 'list[*]', 'list.length', 'toString', '__proto__', 'constructor.name'])(
    'rejects %s, which has no value',
    (path) => {
      expect(() => redact('{"a": "x", "list": []}', path)).toThrow(`The body has no value at ${path}`);
    },
  );

  it.each(['', 'a b', 'a..b'])('rejects %j, which is not a path', (path) => {
    expect(() => redact('{"a": 1}', path)).toThrow('is not a path');
  });
});
