import { expect, it } from 'vitest';
import { collectFields } from './collect-fields.ts';

it('collects the fields of payloads with their values, the most frequent first, and looks through lists', () => {
  const fields = collectFields([
    { action: 'created', commits: [{ author: 'ann' }, { author: 'bob' }], labels: ['a', ['not entered']] },
    { action: 'resolved', commits: [{ author: 'bob' }] },
    'no object',
  ]);
  expect(fields).toEqual([
    { path: ['action'], values: ['created', 'resolved'] },
    { path: ['commits'], values: [] },
    { path: ['commits', 'author'], values: ['bob', 'ann'] },
    { path: ['labels'], values: ['a'] },
  ]);
});

it('offers no prose, and goes no deeper than a filter may', () => {
  let deep: unknown = 'bottom';
  for (let level = 12; level > 0; level -= 1) deep = { [`k${level}`]: deep };
  const fields = collectFields([{ text: 'x'.repeat(101) }, deep]);
  expect(fields[0]).toEqual({ path: ['text'], values: [] });
  expect(Math.max(...fields.map(({ path }) => path.length))).toBe(10);
});

it('takes keys of every object as they are', () => {
  expect(collectFields([JSON.parse('{"__proto__": 1, "constructor": 2}')])).toEqual([
    { path: ['__proto__'], values: [1] },
    { path: ['constructor'], values: [2] },
  ]);
});
