import { expect, it } from 'vitest';
import { composeRunKey } from './run-key.ts';

it.each([
  { paths: [['pull_request', 'number']], payload: { pull_request: { number: 7 } }, key: '[7]' },
  { paths: [['a'], ['b', 'c']], payload: { a: 'x', b: { c: true } }, key: '["x",true]' },
  { paths: [['a'], ['b', 'c'], ['d']], payload: { a: null, b: 'text', d: [1] }, key: '[null,null,null]' },
  {
    paths: [
      ['__proto__', 'name'],
      ['constructor', 'name'],
    ],
    payload: {},
    key: '[null,null]',
  },
  { paths: [['1']], payload: 1, key: '[null]' },
  { paths: [], payload: { a: 1 }, key: '[]' },
])('the key of $paths in $payload is $key', ({ paths, payload, key }) => {
  expect(composeRunKey(paths, payload)).toBe(key);
});

it('a text and a number are different keys, and a long key is a hash', () => {
  expect(composeRunKey([['a']], { a: '7' })).not.toBe(composeRunKey([['a']], { a: 7 }));
  const long = composeRunKey([['a']], { a: 'x'.repeat(1000) });
  expect(long).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(long).not.toBe(composeRunKey([['a']], { a: `${'x'.repeat(999)}y` }));
});
