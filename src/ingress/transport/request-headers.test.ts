import { describe, expect, it } from 'vitest';
import { createRequestHeaders } from './request-headers.ts';

describe('header fields', () => {
  const headers = createRequestHeaders([
    'X-One',
    '1',
    'x-two',
    ' \tb b\t ',
    'X-TWO',
    'c',
    'X-Empty',
    '',
    'X-Tail',
    '\xa0x',
  ]);

  it('are found in any letter case, without outer white space of HTTP', () => {
    expect(headers.get('x-one')).toBe('1');
    expect(headers.get('x-tail')).toBe('\xa0x');
    expect(headers.get('x-empty')).toBe('');
  });

  it('are joined in order if repeated', () => {
    expect(headers.get('x-two')).toBe('b b, c');
  });

  it.each(['__proto__', 'constructor', 'tostring', 'hasownproperty', 'length', '0'])(
    'called %s are absent unless sent',
    (name) => {
      expect(headers.get(name)).toBeUndefined();
      expect(createRequestHeaders([name, 'sent']).get(name)).toBe('sent');
    },
  );

  it('are not found by a value', () => {
    expect(headers.get('b b')).toBeUndefined();
    expect(createRequestHeaders(['a', 'authorization', 'b', 'x']).get('authorization')).toBeUndefined();
  });
});
