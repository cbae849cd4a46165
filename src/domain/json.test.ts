import { expect, it } from 'vitest';
import { readPath } from './json.ts';

it('reads a path of own keys of objects only', () => {
  expect(readPath({ a: { b: 'x' } }, ['a', 'b'])).toBe('x');
  for (const root of [null, 1, 'x', [], { a: [{ b: 1 }] }, { a: null }])
    expect(readPath(root, ['a', 'b'])).toBeUndefined();
  for (const key of ['__proto__', 'constructor', 'length']) expect(readPath({}, [key])).toBeUndefined();
});
