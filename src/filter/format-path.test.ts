import { expect, test } from 'vitest';
import { formatPath } from './format-path.ts';

test.each<[(string | number)[], string]>([
  [[], ''],
  [['level'], 'level'],
  [['data', 'issue', 'level'], 'data.issue.level'],
  [['items', 0, 'name'], 'items[0].name'],
  [[1, 'name'], '[1].name'],
  [['user-agent', '$ref', '_id', 'straße'], 'user-agent.$ref._id.straße'],
  [['odd key'], '["odd key"]'],
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
