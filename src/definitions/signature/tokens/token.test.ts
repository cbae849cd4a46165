import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/helpers/any-text.ts';
import { compileTokenCheck, readBearerToken } from './token.ts';

const SECRET = 'dbs_kQ8w3nZpT1mV6yXcB2rJ5uHsL9dFgA0eWqYxKzNv7Mo';

/** A text as it arrives in a header: its UTF-8 bytes, one character each. */
function received(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

describe('the check of a token', () => {
  const check = compileTokenCheck(SECRET);

  it('accepts the secret and nothing similar', () => {
    expect(check(SECRET)).toBe(true);
    for (const near of ['', SECRET.slice(1), SECRET.slice(0, -1), `${SECRET} `, `${SECRET}\0`, SECRET.toLowerCase()]) {
      expect(check(near), near).toBe(false);
    }
  });

  it('compares bytes: a secret outside of ASCII is presented as UTF-8', () => {
    const checkText = compileTokenCheck('Łódź-ключ');
    expect(checkText(received('Łódź-ключ'))).toBe(true);
    expect(checkText('Łódź-ключ')).toBe(false);
  });

  it('does not confuse characters with the same low byte', () => {
    expect(compileTokenCheck('abc')('ab\u0163')).toBe(false);
  });

  it('accepts nothing if the secret is empty', () => {
    expect(compileTokenCheck('')('')).toBe(false);
  });

  it('accepts exactly one text per secret', () => {
    const text = anyText({ minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(text, text, (secret, other) => {
        const checkSecret = compileTokenCheck(secret);
        expect(checkSecret(received(secret))).toBe(true);
        expect(checkSecret(received(other))).toBe(Buffer.from(other).equals(Buffer.from(secret)));
      }),
    );
  });
});

describe('the token of an Authorization header', () => {
  it('is the text after `Bearer`, in any letter case', () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  ']) {
      expect(readBearerToken(`${scheme} ${SECRET}`)).toEqual({ ok: true, token: SECRET });
    }
  });

  it('is kept whole', () => {
    expect(readBearerToken('Bearer two words, and more')).toEqual({ ok: true, token: 'two words, and more' });
  });

  it('is missing if the header is absent, empty, or only names the scheme', () => {
    for (const header of [undefined, '', 'Bearer', 'bearer']) {
      expect(readBearerToken(header)).toEqual({ ok: false, reason: 'missing_credential' });
    }
  });

  it('is malformed under every other scheme', () => {
    for (const header of ['Basic dXNlcjpwYXNz', SECRET, `Bearer\t${SECRET}`, `Bearer:${SECRET}`, `XBearer ${SECRET}`]) {
      expect(readBearerToken(header), header).toEqual({ ok: false, reason: 'malformed_credential' });
    }
  });
});
