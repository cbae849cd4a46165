import { expect, it } from 'vitest';
import { messageOf, systemErrorCode } from './errors.ts';

it.each([
  ['a synchronous call', 'UNKNOWN', 'UNKNOWN: unknown error, write'],
  ['another call', 'Unknown system error -122', 'Unknown system error -122: Unknown system error -122, write'],
])('names the error of an exceeded quota of %s, for which Node.js has no name', (_, code, message) => {
  const error = Object.assign(new Error(message), { code, errno: -122 });
  expect(systemErrorCode(error)).toBe('EDQUOT');
  expect(messageOf(error)).toBe('EDQUOT: disk quota exceeded, write');
});

it('keeps the code and the message of other errors', () => {
  const error = Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO', errno: -5 });
  expect([systemErrorCode(error), messageOf(error)]).toEqual(['EIO', 'EIO: i/o error, write']);
});
