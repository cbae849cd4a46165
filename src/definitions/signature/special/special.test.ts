import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { resultOf, toSignedRequest, WEBHOOK_URL } from '../../../../test/helpers/signed-request.ts';
import type { SpecialScheme } from '../scheme.ts';
import type { SignatureResult, SignedRequest } from '../verification.ts';
import { NETLIFY } from './netlify.ts';
import { TWILIO } from './twilio.ts';

/** These verifiers fetch nothing, so they answer immediately. */
function compile(scheme: SpecialScheme, secret: string) {
  return scheme.compile(secret, () => null) as (request: SignedRequest) => SignatureResult;
}

const NOW_MS = 1_790_000_000_000;
const SECRET = 'dock-Lm3_gangway';
const BODY = Buffer.from('{"state":"ready"}');

describe('Netlify', () => {
  const verify = compile(NETLIFY, SECRET);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const hash = createHash('sha256').update(BODY).digest('hex');
  const jws = (head: unknown, claims: unknown, secret = SECRET) => {
    const content = `${encode(head)}.${encode(claims)}`;
    return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
  };
  const check = (value: string) =>
    resultOf(verify(toSignedRequest({ headers: { 'X-Webhook-Signature': value }, body: BODY, nowMs: NOW_MS })));

  it('signs the hash of the body', () => {
    expect(check(jws({ alg: 'HS256' }, { iss: 'netlify', sha256: hash }))).toBe('accepted');
    expect(check(jws({ alg: 'HS256' }, { iss: 'netlify', sha256: hash.toUpperCase() }))).toBe('bad_signature');
    expect(check(jws({ alg: 'HS256' }, { iss: 'netlify', sha256: hash }, 'other'))).toBe('bad_signature');
  });

  it('cannot choose the algorithm', () => {
    const [head, claims] = [encode({ alg: 'none' }), encode({ iss: 'netlify', sha256: hash })];
    for (const value of [
      `${head}.${claims}.`,
      `${head}.${claims}.AAAA`,
      jws({ alg: 'none' }, {}),
      jws({ alg: 'HS512' }, {}),
    ]) {
      expect(check(value)).toBe('malformed_signature');
    }
  });

  it('requires its issuer and claims of the correct type', () => {
    expect(check(jws({ alg: 'HS256' }, { iss: 'other', sha256: hash }))).toBe('wrong_sender');
    for (const claims of [null, [], 'x', 1, { iss: ['netlify'], sha256: hash }]) {
      expect(check(jws({ alg: 'HS256' }, claims))).toBe('wrong_sender');
    }
    for (const sha256 of [null, 1, [hash], {}, '']) {
      expect(check(jws({ alg: 'HS256' }, { iss: 'netlify', sha256 }))).toBe('bad_signature');
    }
  });
});

describe('Twilio', () => {
  const verify = compile(TWILIO, SECRET);
  const sign = (content: string) => createHmac('sha1', SECRET).update(content).digest('base64');
  const check = (signature: string, body: string, url: string, type = 'application/x-www-form-urlencoded') =>
    resultOf(
      verify(
        toSignedRequest({
          headers: { 'X-Twilio-Signature': signature, 'Content-Type': type },
          url,
          nowMs: NOW_MS,
          body: Buffer.from(body),
        }),
      ),
    );

  it('sorts the fields of a form and their values, without duplicates', () => {
    const signature = sign(`${WEBHOOK_URL}a1a2b `);
    for (const body of ['a=1&a=2&b=+', 'b=%20&a=2&a=1&a=2'])
      expect(check(signature, body, WEBHOOK_URL)).toBe('accepted');
    expect(check(signature, 'a=1&b=+', WEBHOOK_URL)).toBe('bad_signature');
  });

  it('signs the URL with or without its standard port', () => {
    for (const url of ['https://example.com/x', 'https://example.com:443/x']) {
      for (const signed of ['https://example.com/x', 'https://example.com:443/x']) {
        expect(check(sign(signed), '', url)).toBe('accepted');
      }
      expect(check(sign('https://example.com:8443/x'), '', url)).toBe('bad_signature');
    }
  });

  it('covers a JSON body by its hash in the URL, and nothing else does', () => {
    const hash = createHash('sha256').update(BODY).digest('hex');
    const url = `${WEBHOOK_URL}?bodySHA256=${hash}`;
    expect(check(sign(url), BODY.toString(), url, 'application/json')).toBe('accepted');
    expect(check(sign(url), `${BODY} `, url, 'application/json')).toBe('bad_signature');
    expect(check(sign(WEBHOOK_URL), BODY.toString(), WEBHOOK_URL, 'application/json')).toBe('missing_field');
  });
});
