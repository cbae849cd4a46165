import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyText } from '../../../../test/helpers/any-text.ts';
import { readFormField, toWireText } from './request-parts.ts';

it('reads a field of a form like the standard, as bytes', () => {
  const pairs = fc.array(fc.tuple(anyText(), anyText()), { maxLength: 4 });
  fc.assert(
    fc.property(pairs, anyText(), (others, value) => {
      const kept = others.filter(([name]) => name !== 'payload');
      const form = new URLSearchParams([...kept, ['payload', value]]).toString();
      expect(readFormField(Buffer.from(form), 'payload')).toBe(toWireText(value));
    }),
  );
});

it.each([
  ['a=1', undefined],
  ['payload', undefined],
  ['payload=1&payload=1', undefined],
  ['payload=1&p%61yload=2', undefined],
  ['payload=', ''],
  ['payload=%zz%4', '%zz%4'],
  ['p%61yload=%C5%82', 'Å\u0082'],
])('reads the form %j', (form, expected) => expect(readFormField(Buffer.from(form), 'payload')).toBe(expected));
