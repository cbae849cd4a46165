import { describe, expect, it } from 'vitest';
import type { Json } from '../../../api-types/openapi.d.ts';
import { compilePattern } from '../../../filter/compile-pattern.ts';
import { parsePattern } from '../../../filter/parse-pattern.ts';
import { formatPath } from '../../../filter/payload-path.ts';
import { buildFilter, formatJsonPath, type JsonPath } from './json-path.ts';

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

describe('a path of a payload', () => {
  it.each(PATHS)('%j gives a filter that the payload meets', (path, filter) => {
    const built = buildFilter(path, readAt(PAYLOAD, path));
    expect(built).toEqual(filter);
    expect(judge(built, PAYLOAD)).toBe(true);
    expect(judge(built, {})).toBe(false);
  });

  it('into an array that is the whole payload leaves the place out', () => {
    expect(judge(buildFilter([0, 'a'], 1), [{ a: 1 }])).toBe(true);
  });

  it.each<[JsonPath, Json]>([
    [[], {}],
    [[0], 'x'],
    [['a', 'exists'], true],
    [['a', 0, 1], 'x'],
    [['a', 0], {}],
  ])('%j to %j gives none where no filter can say it', (path, value) => {
    expect(buildFilter(path, value)).toBeNull();
  });

  it('may hold a key that JavaScript treats in a way of its own', () => {
    expect(JSON.stringify(buildFilter(['__proto__', 'a'], 1))).toBe('{"__proto__":{"a":[1]}}');
  });

  it.each(PATHS)('%j reads as in explanations', (path) => {
    expect(formatJsonPath(path)).toBe(formatPath(path));
  });
});

function judge(filter: unknown, payload: Json): boolean {
  const parsed = parsePattern(filter);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return compilePattern(parsed.pattern).matches(payload);
}

// biome-ignore lint/suspicious/noExplicitAny: walks into whatever is there
function readAt(value: any, path: JsonPath): Json {
  return path.reduce((inner, step) => inner[step], value);
}
