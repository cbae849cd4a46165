import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRequestHeaders } from '../transport/request-headers.ts';
import { identify } from './identify.ts';

const BODY = Buffer.from('{}');
const HEX = createHash('sha256').update(BODY).digest('hex');
const latin1 = (bytes: Uint8Array | string) => Buffer.from(bytes as string, 'utf8').toString('latin1');

const holdsSecret = (value: string) => value.includes('the-secret');

function name(raw: string[], identityHeader: string | null = null, providerIdentity: string | null = null) {
  const headers = createRequestHeaders(raw);
  return identify(
    { headers, providerIdentity, payload: undefined },
    { identityHeader, identityPath: null, hasBodyKey: false, deduplicate: true, holdsSecret },
    BODY,
  );
}

/** Of a payload with this value at the path of the webhook, and an ID in the header of the provider. */
function nameByPath(id: unknown, digits = String(id)) {
  const parts = {
    headers: createRequestHeaders([]),
    providerIdentity: 'provider',
    payload: { event: { id } },
    readDigits: () => digits,
  };
  const rules = {
    identityHeader: null,
    identityPath: ['event', 'id'],
    hasBodyKey: false,
    deduplicate: true,
    holdsSecret,
  };
  return identify(parts, rules, BODY);
}

const fromHeader = (value: string) => name(['X-Id', value], 'x-id');

describe('the identity of a delivery', () => {
  it('comes from the first available: header of the webhook, provider, service header, hash of the body', () => {
    const raw = ['X-Service-Delivery-Id', 'service', 'X-Own', 'own'];
    expect(name(raw, 'x-own', 'provider')).toEqual({ source: 'header', value: 'own', key: 'own' });
    expect(name(raw, null, 'provider')).toEqual({ source: 'provider', value: 'provider', key: 'provider' });
    expect(name(raw, 'x-absent')).toEqual({ source: 'service_header', value: 'service', key: 'service' });
    expect(name([])).toEqual({ source: 'body_hash', value: `sha256:${HEX}`, key: `sha256:${HEX}` });
  });

  it.each(['', ' ', '\t \t'])('treats an empty header value (%j) as absent', (empty) => {
    expect(name(['X-Own', empty, 'X-Service-Delivery-Id', empty], 'x-own', empty).source).toBe('body_hash');
    expect(name(['X-Own', empty, 'X-Service-Delivery-Id', 'x'], 'x-own', empty).source).toBe('service_header');
  });

  it('trims white space of HTTP only', () => {
    expect(fromHeader(' \ta b\t ').key).toBe('a b');
    // A no-break space is two bytes of UTF-8, not white space.
    expect(fromHeader(latin1('\u00a0x\u00a0')).value).toBe('\u00a0x\u00a0');
  });

  it('comes from the path of the webhook before the provider', () => {
    expect(nameByPath('evt_1')).toEqual({ source: 'payload', value: 'evt_1', key: 'evt_1' });
    expect(nameByPath(42)).toEqual({ source: 'payload', value: '42', key: '42' });
    expect(nameByPath('żółw')).toEqual({ source: 'payload', value: 'żółw', key: latin1('żółw') });
  });

  it('has all digits of a number that is rounded when it is read', () => {
    for (const digits of ['9007199254740992', '9007199254740993', '-9007199254740993', `1${'0'.repeat(200)}`])
      expect(nameByPath(Number(digits), digits)).toEqual({ source: 'payload', value: digits, key: digits });
    for (const digits of ['1e300', '1E400', '9007199254740993.0'])
      expect(nameByPath(Number(digits), digits).source).toBe('provider');
  });

  it.each([undefined, null, '', ' ', true, 1.5, '\ud800', ['a'], { a: 1 }])(
    'is not taken from %j at the path of the webhook',
    (value) => {
      expect(nameByPath(value).source).toBe('provider');
    },
  );

  it('replaces a value of the payload that no header can have by its hash', () => {
    const hash = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
    for (const text of ['a\nb', 'a\u0000', 'x'.repeat(256), 'event-the-secret-1'])
      expect(nameByPath(text)).toEqual({ source: 'payload', value: hash(text), key: `\n${hash(text)}` });
    expect(nameByPath(`\n${hash('a\nb')}`).key).not.toBe(nameByPath('a\nb').key);
  });

  it('shows valid UTF-8 as text and anything else as Latin-1', () => {
    expect(fromHeader(latin1('żółw 東京')).value).toBe('żółw 東京');
    expect(fromHeader('caf\xe9').value).toBe('caf\xe9');
    expect(fromHeader('\xef\xbb\xbfx').value).toBe('\ufeffx');
  });

  it('distinguishes bytes that decode to the same text', () => {
    const asUtf8 = fromHeader('\xc3\xa9 ');
    const asLatin1 = fromHeader('\xe9');
    expect(asUtf8.value).toBe(asLatin1.value);
    expect(asUtf8.key).not.toBe(asLatin1.key);
  });

  it('replaces a value over 255 bytes by its hash', () => {
    expect(fromHeader('x'.repeat(255)).value).toBe('x'.repeat(255));
    const hash = createHash('sha256').update('x'.repeat(256)).digest('hex');
    expect(fromHeader('x'.repeat(256))).toEqual({ source: 'header', value: `sha256:${hash}`, key: `\nsha256:${hash}` });
    // The limit is in bytes: 128 letters of two bytes each are too long.
    expect(fromHeader(latin1('é'.repeat(127))).value).toBe('é'.repeat(127));
    expect(fromHeader(latin1('é'.repeat(128))).value).toMatch(/^sha256:/);
  });

  it('replaces a value that contains the secret of the webhook by its hash', () => {
    const hash = createHash('sha256').update('event-the-secret-1').digest('hex');
    const hashed = { value: `sha256:${hash}`, key: `\nsha256:${hash}` };
    expect(fromHeader(' event-the-secret-1')).toEqual({ source: 'header', ...hashed });
    expect(name([], null, 'event-the-secret-1')).toEqual({ source: 'provider', ...hashed });
    expect(name(['X-Service-Delivery-Id', 'event-the-secret-1'])).toEqual({ source: 'service_header', ...hashed });
  });

  it('is injective over all values up to 255 bytes after trimming', () => {
    const value = fc
      .uint8Array({ minLength: 1, maxLength: 255 })
      .map((bytes) =>
        Buffer.from(bytes)
          .toString('latin1')
          .replace(/^[ \t]+|[ \t]+$/g, ''),
      )
      .filter((text) => text !== '');
    // Neighbors: values that differ only in letter case, one bit, length or outer white space.
    const near = fc.tuple(value, fc.nat(), fc.nat(7)).map(([text, at, bit]) => {
      const bytes = Buffer.from(text, 'latin1');
      bytes[at % bytes.length]! ^= 1 << bit;
      return [text, bytes.toString('latin1')] as const;
    });
    const trim = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, '');
    fc.assert(
      fc.property(fc.oneof(fc.tuple(value, value), near), ([a, b]) => {
        fc.pre(trim(b) !== '');
        expect(fromHeader(a).key === fromHeader(b).key).toBe(trim(a) === trim(b));
        expect(fromHeader(` ${a}\t`).key).toBe(fromHeader(a).key);
      }),
      { numRuns: 500 },
    );
  });
});
