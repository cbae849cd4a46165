import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeNul, restoreNul } from './text-without-nul.ts';

const text = fc.string({ unit: fc.constantFrom('a', '0', '1', '\0', '\u{10FFFF}'), maxLength: 12 });

it('every text has a form without NUL, from which it is restored', () => {
  fc.assert(
    fc.property(text, (original) => {
      const stored = escapeNul(original) as string;
      expect(stored).not.toContain('\0');
      expect(restoreNul(stored)).toBe(original);
    }),
  );
});

it('parameters that are not text, and nearly all texts, are unchanged', () => {
  const bytes = new Uint8Array([0]);
  expect([1, null, bytes, 'plain'].map(escapeNul)).toEqual([1, null, bytes, 'plain']);
});
