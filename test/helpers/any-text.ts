import fc from 'fast-check';

/** Every code point but halves of surrogate pairs, which UTF-8 cannot say. */
const codePoint = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));
const ascii = fc.integer({ min: 0x20, max: 0x7e });

/** Names that objects of JavaScript have by themselves. */
const INHERITED = ['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString', 'valueOf'];

/**
 * Text of any characters; lengths count code points. As `fc.string` with the unit `binary`, which prepares a table of all
 * characters in each process first, for half a second.
 */
export function anyText(lengths: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  const text = fc.array(fc.oneof(codePoint, ascii), lengths).map((points) => String.fromCodePoint(...points));
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = lengths;
  const names = INHERITED.filter(({ length }) => length >= minLength && length <= maxLength);
  return names.length === 0
    ? text
    : fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...names) });
}
