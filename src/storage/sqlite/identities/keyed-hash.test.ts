import { expect, it } from 'vitest';
import { createKeyedHash } from './keyed-hash.ts';

/** The published vectors of HalfSipHash-2-4 with 64 bits, for the bytes 0, 1, 2, … of an even number. */
const VECTORS: readonly [bytes: number, hash: string][] = [
  [4, 'd5e78a175be52ea1'],
  [6, 'ce3e91358aa2bc25'],
  [8, 'edfee820bce4858c'],
  [10, '95b0469f06a6f2ee'],
  [12, '7bc71f9faef5c799'],
  [14, '3bb1a870eae8e658'],
  [16, '7336aad25f7bf3b5'],
];

const hash = createKeyedHash({ low: 0x03020100, high: 0x07060504 });

it.each(VECTORS)('hashes %i bytes as published', (bytes, expected) => {
  const input = Buffer.from(Array.from({ length: bytes }, (_, index) => index));
  const { low, high } = hash(input.readInt32LE(0), input.subarray(4).toString('utf16le'));
  const result = Buffer.alloc(8);
  result.writeUInt32LE(low, 0);
  result.writeUInt32LE(high, 4);
  expect(result.toString('hex')).toBe(expected);
});

it('depends on the key', () => {
  const other = createKeyedHash({ low: 0x03020100, high: 0x07060505 });
  expect({ ...other(1, 'text') }).not.toEqual({ ...hash(1, 'text') });
});
