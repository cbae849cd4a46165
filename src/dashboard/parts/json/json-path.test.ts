import { describe, expect, it } from 'vitest';
import { compilePayload } from '../../../../test/helpers/payload-filter.ts';
import type { Json } from '../../../client/openapi.d.ts';
import { parsePattern } from '../../../definitions/filter/parse-pattern.ts';
import { buildFilter, type JsonPath } from './json-path.ts';

const PAYLOAD: Json = {
  data: { level: 'fatal', $id: 1 },
  labels: ['p1', 'bug'],
  commits: [{ id: null, files: [{ name: 'a' }] }],
  '<script>': { 'a b': true },
  empty: [],
};

const PATHS: [JsonPath, Json][] = [
  [['data', 'level'], { data: { level: ['fatal'] } }],
  [['data', '$id'], { data: { $id: [1] } }],
  [['data'], { data: { exists: true } }],
  [['labels', 1], { labels: ['bug'] }],
  [['commits', 0, 'id'], { commits: { id: [null] } }],
  [['commits', 0, 'files', 0, 'name'], { commits: { files: { name: ['a'] } } }],
  [['<script>', 'a b'], { '<script>': { 'a b': [true] } }],
  [['empty'], { empty: { exists: true } }],
];

describe('a JSON path', () => {
  it.each(PATHS)('%j becomes a filter that matches the payload', (path, filter) => {
    const built = buildFilter(path, readAt(PAYLOAD, path));
    expect(built).toEqual(filter);
    expect(evaluate(built, PAYLOAD)).toBe(true);
    expect(evaluate(built, {})).toBe(false);
  });

  it('omits the index of an array that is the whole payload', () => {
    expect(evaluate(buildFilter([0, 'a'], 1), [{ a: 1 }])).toBe(true);
  });

  it.each<[JsonPath, Json]>([
    [[], {}],
    [[0], 'x'],
    [['a', 'exists'], true],
    [['a', 0, 1], 'x'],
    [['a', 0], {}],
  ])('%j to %j is null if no filter can express it', (path, value) => {
    expect(buildFilter(path, value)).toBeNull();
  });

  it('may contain the key __proto__', () => {
    expect(JSON.stringify(buildFilter(['__proto__', 'a'], 1))).toBe('{"__proto__":{"a":[1]}}');
  });
});

function evaluate(filter: unknown, payload: Json): boolean {
  const parsed = parsePattern(filter);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return compilePayload(parsed.pattern).matches(payload);
}

// biome-ignore lint/suspicious/noExplicitAny: reads untyped JSON
function readAt(value: any, path: JsonPath): Json {
  return path.reduce((inner, step) => inner[step], value);
}
