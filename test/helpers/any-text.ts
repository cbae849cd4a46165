import fc from 'fast-check';

/** Every code point except surrogates, which UTF-8 cannot encode. */
const codePoint = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));
const ascii = fc.integer({ min: 0x20, max: 0x7e });

/** Names of inherited properties of JavaScript objects. */
const INHERITED = ['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString', 'valueOf'];

/**
 * Text of any characters. Lengths count code points. Equivalent to `fc.string` with the unit `binary`, which first builds a
 * table of all characters in each process and takes half a second for it.
 */
export function anyText(lengths: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  const text = fc.array(fc.oneof(codePoint, ascii), lengths).map((points) => String.fromCodePoint(...points));
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = lengths;
  const names = INHERITED.filter(({ length }) => length >= minLength && length <= maxLength);
  return names.length === 0
    ? text
    : fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...names) });
}
