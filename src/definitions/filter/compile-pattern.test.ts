import { expect, test } from 'vitest';
import { compilePayload } from '../../../test/helpers/payload-filter.ts';
import { parsePattern } from './parse-pattern.ts';

function matches(filter: unknown, payload: unknown): boolean {
  const parsed = parsePattern(filter);
  if (!parsed.ok) throw new Error(parsed.problems.map((problem) => problem.message).join(' '));
  const compiled = compilePayload(parsed.pattern);
  const verdict = compiled.matches(payload);
  expect(compiled.explain(payload).matched).toBe(verdict);
  return verdict;
}

test.each<[string, string, string, boolean]>([
  // Every key must match.
  ['the empty filter matches an object', '{}', '{"a": 1}', true],
  ['the empty filter matches a scalar', '{}', '7', true],
  ['the empty filter matches null', '{}', 'null', true],
  ['the empty filter matches an array', '{}', '[]', true],
  ['all keys hold', '{"a": ["x"], "b": [1]}', '{"a": "x", "b": 1, "c": 2}', true],
  ['one key of two fails', '{"a": ["x"], "b": [1]}', '{"a": "x", "b": 2}', false],
  // in
  ['any of the values', '{"a": ["x", "y"]}', '{"a": "y"}', true],
  ['none of the values', '{"a": ["x", "y"]}', '{"a": "z"}', false],
  ['in is a bare list', '{"a": {"in": ["x"]}}', '{"a": "x"}', true],
  ['strings are case-sensitive', '{"a": ["x"]}', '{"a": "X"}', false],
  ['strings are not trimmed', '{"a": ["x"]}', '{"a": "x "}', false],
  ['strings are not normalised', '{"a": ["\\u00e9"]}', '{"a": "e\\u0301"}', false],
  ['1 equals 1.0', '{"a": [1]}', '{"a": 1.0}', true],
  ['1 equals 10e-1', '{"a": [1]}', '{"a": 10e-1}', true],
  ['-0 equals 0', '{"a": [0]}', '{"a": -0}', true],
  ['0 equals a listed -0', '{"a": [-0]}', '{"a": 0}', true],
  ['integers beyond 2^53 compare as doubles', '{"a": [9007199254740993]}', '{"a": 9007199254740992}', true],
  ['a string is not a number', '{"a": [1]}', '{"a": "1"}', false],
  ['a number is not a string', '{"a": ["1"]}', '{"a": 1}', false],
  ['1 is not true', '{"a": [true]}', '{"a": 1}', false],
  ['0 is not false', '{"a": [false]}', '{"a": 0}', false],
  ['null is not a string', '{"a": ["null"]}', '{"a": null}', false],
  ['null matches itself', '{"a": [null]}', '{"a": null}', true],
  ['null is not absent', '{"a": [null]}', '{}', false],
  ['false matches itself', '{"a": [false]}', '{"a": false}', true],
  ['a missing key fails in', '{"a": ["x"]}', '{}', false],
  ['an object fails in', '{"a": ["x"]}', '{"a": {"x": "x"}}', false],
  ['the last of duplicate keys counts', '{"a": ["y"]}', '{"a": "x", "a": "y"}', true],
  ['the first of duplicate keys does not count', '{"a": ["x"]}', '{"a": "x", "a": "y"}', false],
  // not_in
  ['a value not listed passes not_in', '{"a": {"not_in": ["x"]}}', '{"a": "y"}', true],
  ['a listed value fails not_in', '{"a": {"not_in": ["x"]}}', '{"a": "x"}', false],
  ['a missing key passes not_in', '{"a": {"not_in": ["x"]}}', '{}', true],
  ['null passes not_in', '{"a": {"not_in": ["x"]}}', '{"a": null}', true],
  ['a listed null fails not_in', '{"a": {"not_in": [null]}}', '{"a": null}', false],
  ['a missing key passes not_in: [null]', '{"a": {"not_in": [null]}}', '{}', true],
  ['an object passes not_in', '{"a": {"not_in": ["x"]}}', '{"a": {"x": "x"}}', true],
  // exists
  ['exists: true wants the key', '{"a": {"exists": true}}', '{}', false],
  ['exists: true takes null', '{"a": {"exists": true}}', '{"a": null}', true],
  ['exists: true takes an empty array', '{"a": {"exists": true}}', '{"a": []}', true],
  ['exists: false wants no key', '{"a": {"exists": false}}', '{}', true],
  ['exists: false rejects null', '{"a": {"exists": false}}', '{"a": null}', false],
  ['exists: false rejects an empty array', '{"a": {"exists": false}}', '{"a": []}', false],
  // Operators are ANDed.
  ['exists and not_in: absent', '{"a": {"exists": true, "not_in": ["x"]}}', '{}', false],
  ['exists and not_in: listed', '{"a": {"exists": true, "not_in": ["x"]}}', '{"a": "x"}', false],
  ['exists and not_in: another value', '{"a": {"exists": true, "not_in": ["x"]}}', '{"a": "y"}', true],
  ['in and not_in on an array', '{"a": {"in": ["x"], "not_in": ["y"]}}', '{"a": ["x", "y"]}', false],
  // Arrays of scalars.
  ['in takes any overlap', '{"a": ["x", "y"]}', '{"a": ["z", "y"]}', true],
  ['in without overlap', '{"a": ["x"]}', '{"a": ["z"]}', false],
  ['in on an empty array', '{"a": ["x"]}', '{"a": []}', false],
  ['not_in wants no element listed', '{"a": {"not_in": ["x"]}}', '{"a": ["z", "x"]}', false],
  ['not_in with no element listed', '{"a": {"not_in": ["x"]}}', '{"a": ["z"]}', true],
  ['not_in on an empty array', '{"a": {"not_in": ["x"]}}', '{"a": []}', true],
  ['in does not enter arrays in arrays', '{"a": ["x"]}', '{"a": [["x"]]}', false],
  ['not_in does not enter arrays in arrays', '{"a": {"not_in": ["x"]}}', '{"a": [["x"]]}', true],
  // Nested patterns.
  ['a nested key', '{"a": {"b": {"c": ["x"]}}}', '{"a": {"b": {"c": "x"}}}', true],
  ['a nested pattern needs its key', '{"a": {"b": ["x"]}}', '{}', false],
  ['a nested pattern needs its key, also for exists: false', '{"a": {"b": {"exists": false}}}', '{}', false],
  ['exists: false inside an object', '{"a": {"b": {"exists": false}}}', '{"a": {}}', true],
  ['a nested pattern needs its key, also for not_in', '{"a": {"b": {"not_in": ["x"]}}}', '{}', false],
  ['a nested pattern on a scalar', '{"a": {"b": {"exists": false}}}', '{"a": "x"}', false],
  ['a nested pattern on null', '{"a": {"b": {"exists": false}}}', '{"a": null}', false],
  ['an empty nested pattern takes an object', '{"a": {}}', '{"a": {}}', true],
  ['an empty nested pattern takes an array with an object', '{"a": {}}', '{"a": [1, {}]}', true],
  ['an empty nested pattern rejects an absent key', '{"a": {}}', '{}', false],
  ['an empty nested pattern rejects a scalar', '{"a": {}}', '{"a": 1}', false],
  ['an empty nested pattern rejects an array of scalars', '{"a": {}}', '{"a": [1]}', false],
  ['an empty nested pattern rejects an empty array', '{"a": {}}', '{"a": []}', false],
  // Arrays of objects: one element meets the whole nested pattern.
  ['any element matches', '{"a": {"b": ["x"]}}', '{"a": [{"b": "y"}, {"b": "x"}]}', true],
  ['no element matches', '{"a": {"b": ["x"]}}', '{"a": [{"b": "y"}]}', false],
  [
    'two conditions on one element',
    '{"a": {"b": ["x"], "c": [1]}}',
    '{"a": [{"b": "x", "c": 2}, {"b": "x", "c": 1}]}',
    true,
  ],
  [
    'two conditions on two elements',
    '{"a": {"b": ["x"], "c": [1]}}',
    '{"a": [{"b": "x", "c": 2}, {"b": "y", "c": 1}]}',
    false,
  ],
  ['not_in of any element', '{"a": {"b": {"not_in": ["x"]}}}', '{"a": [{"b": "x"}, {"b": "y"}]}', true],
  ['not_in of no element', '{"a": {"b": {"not_in": ["x"]}}}', '{"a": [{"b": "x"}, {"b": "x"}]}', false],
  ['exists: false in any element', '{"a": {"b": {"exists": false}}}', '{"a": [{"b": 1}, {}]}', true],
  ['a nested pattern needs an element', '{"a": {"b": {"exists": false}}}', '{"a": []}', false],
  [
    'arrays of objects inside arrays of objects',
    '{"a": {"b": {"c": ["x"]}}}',
    '{"a": [{"b": [{"c": "y"}]}, {"b": [{}, {"c": "x"}]}]}',
    true,
  ],
  ['a nested pattern does not enter arrays in arrays', '{"a": {"b": ["x"]}}', '{"a": [[{"b": "x"}]]}', false],
  ['an index is not a key', '{"a": {"0": ["x"]}}', '{"a": ["x"]}', false],
  ['the length of an array is not a key', '{"a": {"length": [1]}}', '{"a": [1]}', false],
  // Mixed arrays: element by element.
  ['in on the scalars of a mixed array', '{"a": ["x"]}', '{"a": [{"b": 1}, "x"]}', true],
  ['not_in on the scalars of a mixed array', '{"a": {"not_in": ["x"]}}', '{"a": [{"b": "x"}, "y"]}', true],
  ['a nested pattern on the objects of a mixed array', '{"a": {"b": [1]}}', '{"a": ["b", null, [], {"b": 1}]}', true],
  // The root.
  ['a scalar payload', '{"a": {"exists": false}}', '"a"', false],
  ['a null payload', '{"a": {"not_in": ["x"]}}', 'null', false],
  ['an empty array as payload', '{"a": {"exists": false}}', '[]', false],
  ['an array of scalars as payload', '{"a": {"exists": false}}', '["a"]', false],
  ['an array of objects as payload', '{"a": ["x"], "b": [1]}', '[{"a": "x"}, {"a": "x", "b": 1}]', true],
  [
    'an array of objects as payload, conditions on two elements',
    '{"a": ["x"], "b": [1]}',
    '[{"a": "x"}, {"b": 1}]',
    false,
  ],
  // Names.
  ['a field named in', '{"in": {"in": ["x"]}}', '{"in": "x"}', true],
  ['a nested field named exists', '{"a": {"exists": {"in": ["x"]}}}', '{"a": {"exists": "x"}}', true],
  ['an inherited name is absent', '{"constructor": {"exists": true}}', '{}', false],
  ['toString is absent', '{"toString": {"exists": false}}', '{}', true],
  ['__proto__ is absent', '{"__proto__": {"exists": false}}', '{}', true],
  ['a nested pattern does not enter a prototype', '{"__proto__": {}}', '{}', false],
  ['__proto__ is a field where the payload has it', '{"__proto__": {"x": [1]}}', '{"__proto__": {"x": 1}}', true],
  [
    'constructor is a field where the payload has it',
    '{"constructor": {"name": ["x"]}}',
    '{"constructor": {"name": "x"}}',
    true,
  ],
  ['the length of a string is not a key', '{"a": {"length": [1]}}', '{"a": "x"}', false],
  ['the empty key', '{"": ["x"]}', '{"": "x"}', true],
])('%s', (_, filter, payload, verdict) => {
  expect(matches(JSON.parse(filter), JSON.parse(payload))).toBe(verdict);
});

const DEPTH = 130_000;

test.each<[string, string]>([
  ['arrays', '['.repeat(DEPTH) + ']'.repeat(DEPTH)],
  ['objects', `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`],
  ['arrays below the key', `{"a":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`],
  ['arrays and objects in turn', `${'[{"a":'.repeat(DEPTH)}1${'}]'.repeat(DEPTH)}`],
])('a payload of 130,000 nested %s is evaluated and explained', (_, text) => {
  const payload: unknown = JSON.parse(text);
  const deepest = JSON.parse(`${'{"a":'.repeat(10)}["x"]${'}'.repeat(10)}`) as unknown;
  for (const filter of [{ a: ['x'] }, { a: { a: ['x'] } }, { a: { a: { exists: false } } }, deepest]) {
    expect(matches(filter, payload)).toBe(false);
  }
});
