import { timingSafeEqual } from 'node:crypto';

/** Compares in constant time; whether the length is right is no secret. */
export function areEqualTexts(presented: string, expected: string): boolean {
  const left = Buffer.from(presented, 'utf8');
  const right = Buffer.from(expected, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}
