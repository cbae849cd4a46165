import { createHmac, generateKeyPairSync, sign as signWithKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeSecrets } from '../../../../test/helpers/scheme-secrets.ts';
import { toSignedRequest, WEBHOOK_URL } from '../../../../test/helpers/signed-request.ts';
import type { SignatureScheme } from '../scheme.ts';
import { SCHEMES } from '../schemes/schemes.ts';
import { signRequest } from '../sign/sign-request.ts';
import type { SignedRequest, VerifyResult } from '../verification.ts';
import { compileSignatureVerifier } from './signature-verifier.ts';

const NOW_S = 1_790_000_000;
const NOW_MS = NOW_S * 1000;
const BODY = Buffer.from('{"type":"pallet.scanned","data":{"lane":3,"note":"Łódź"}}');
const WHSEC = 'whsec_1MNUL8J+Daryfh2NZluOodAThg/KPACiEL8kPgWmeMU=';

type Headers = Record<string, string>;

function secretFor(scheme: SignatureScheme): string {
  return makeSecrets(scheme).verifying;
}

function verifierOf(scheme: SignatureScheme, secret = secretFor(scheme)): (request: SignedRequest) => VerifyResult {
  const compiled = compileSignatureVerifier(scheme, secret);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.verify;
}

function signed(scheme: SignatureScheme, options: Options = {}): Headers {
  const delivery = {
    url: WEBHOOK_URL,
    body: options.body ?? BODY,
    nowMs: options.nowMs ?? NOW_MS,
    deliveryId: options.deliveryId ?? 'evt_1',
    newId: () => 'never asked',
  };
  return signRequest(scheme, options.secret ?? secretFor(scheme), delivery).headers;
}

interface Options {
  body?: Uint8Array;
  nowMs?: number;
  deliveryId?: string;
  secret?: string;
}

function check(scheme: SignatureScheme, headers: Headers, body: Uint8Array = BODY, nowMs = NOW_MS): VerifyResult {
  return verifierOf(scheme)(toSignedRequest({ headers, body, nowMs }));
}

/** `accepted`, or the reason. */
function result(scheme: SignatureScheme, fields: Headers, body: Uint8Array = BODY, nowMs = NOW_MS): string {
  const result = check(scheme, fields, body, nowMs);
  return result.ok ? 'accepted' : result.reason;
}

function flipBit(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = copy[bit >> 3]! ^ (1 << (bit & 7));
  return copy;
}

/** The header with one bit changed; every character is one byte. */
function flipTextBit(text: string, bit: number): string {
  return flipBit(Buffer.from(text, 'latin1'), bit).toString('latin1');
}

function need(name: string): SignatureScheme {
  const scheme = SCHEMES.find((one) => one.name === name);
  if (scheme?.family !== 'signature') throw new Error(`no scheme ${name}`);
  return scheme;
}

/** HMAC rows whose signature is in a header and that add nothing to the body. */
const HEADER_HMACS = SCHEMES.filter(
  (scheme): scheme is SignatureScheme =>
    scheme.family === 'signature' &&
    scheme.keys.at(-1)!.algorithm.kind === 'hmac' &&
    scheme.headers[0].signatures[0].in === 'header' &&
    scheme.timestamp?.from.place !== 'json',
);

function headerOf(scheme: SignatureScheme): string {
  const [place] = scheme.headers[0].signatures;
  if (place.in !== 'header') throw new Error('not in a header');
  return place.name;
}

/** The timestamp entry before a signature. */
const STAMP = /^(?:t|ts|timestamp)=\d+[,;]/;

const STAMP_OR_NOTHING = /^((?:t|ts|timestamp)=\d+[,;])?/;

describe.each(HEADER_HMACS)('the scheme $name', (scheme) => {
  const signature = headerOf(scheme);

  it('accepts an empty body that is signed as empty', () => {
    const empty = new Uint8Array(0);
    expect(result(scheme, signed(scheme, { body: empty }), empty)).toBe('accepted');
    expect(result(scheme, signed(scheme, { body: empty }))).toBe('bad_signature');
  });

  it('counts an absent, empty or prefix-only signature as unsigned', () => {
    const { [signature]: value, ...rest } = signed(scheme);
    expect(result(scheme, rest)).toBe('missing_credential');
    expect(result(scheme, { ...rest, [signature]: '' })).toBe('missing_credential');
    const label = scheme.keys.at(-1)!.label;
    // HTTP removes a space at the end of a value.
    if (label === null || scheme.labelSeparator === ' ') return;
    const prefixOnly = value!.slice(0, value!.indexOf(`${label}${scheme.labelSeparator}`) + label.length + 1);
    expect(result(scheme, { ...rest, [signature]: prefixOnly })).toBe('missing_credential');
  });

  it('rejects a body that was serialized again', () => {
    const body = Buffer.from('{ "ratio": 2.0, "name": "\\u00fcber" }');
    const printed = Buffer.from(JSON.stringify(JSON.parse(body.toString())));
    expect(result(scheme, signed(scheme, { body }), body)).toBe('accepted');
    expect(result(scheme, signed(scheme, { body }), printed)).toBe('bad_signature');
  });

  it('verifies the received bytes, including a byte order mark, CRLF and invalid UTF-8', () => {
    for (const body of [Buffer.from('\ufeff{}'), Buffer.from('{}\r\n'), Buffer.from([0x22, 0xff, 0xfe, 0x00, 0x22])]) {
      expect(result(scheme, signed(scheme, { body }), body)).toBe('accepted');
    }
    expect(result(scheme, signed(scheme, { body: Buffer.from('\ufeff{}') }), Buffer.from('{}'))).toBe('bad_signature');
    expect(result(scheme, signed(scheme, { body: Buffer.from('{}\r\n') }), Buffer.from('{}\n'))).toBe('bad_signature');
  });

  it('rejects junk after, before and inside the signature', () => {
    const fields = signed(scheme);
    const value = fields[signature]!;
    const junks = ['0', 'zz', '=', '\0', '!', '\u00e9', '\u00a0', '\v', '%20', ';', '00'.repeat(32)];
    // A separator at the end makes an empty entry, which does not count.
    for (const junk of junks.filter((one) => one !== scheme.entrySeparator)) {
      for (const changed of [`${value}${junk}`, `${value.slice(0, -1)}${junk}`, value.replace(/[=,]|^/, `$&${junk}`)]) {
        if (changed !== value)
          expect(result(scheme, { ...fields, [signature]: changed }), changed).not.toBe('accepted');
      }
    }
  });

  it('rejects the digest in the other encoding, in upper case, truncated and doubled', () => {
    const fields = signed(scheme);
    const value = fields[signature]!;
    const before = `${scheme.keys.at(-1)!.label}${scheme.labelSeparator}`;
    const digest = value.slice(scheme.labelSeparator === null ? 0 : value.lastIndexOf(before) + before.length);
    const other = Buffer.from(digest, scheme.encoding).toString(scheme.encoding === 'hex' ? 'base64' : 'hex');
    const wrong = [other, digest.toUpperCase(), digest.toLowerCase(), digest.slice(1), digest.slice(0, -2)];
    for (const text of [...wrong, `${digest}${digest}`].filter((one) => one !== digest)) {
      expect(result(scheme, { ...fields, [signature]: value.replace(digest, text) }), text).not.toBe('accepted');
    }
  });

  it('rejects a signature under another label, so that no weaker version can be used', () => {
    const label = scheme.keys.at(-1)!.label;
    if (label === null) return;
    const fields = signed(scheme);
    const others = ['v0', 'v2', 'v1a', 'sha1', 'SHA256', label.toUpperCase(), ` ${label} x`, '', '__proto__'];
    for (const other of others.filter((one) => one !== label)) {
      const changed = fields[signature]!.replace(
        `${label}${scheme.labelSeparator}`,
        `${other}${scheme.labelSeparator}`,
      );
      expect(check(scheme, { ...fields, [signature]: changed }), other).toMatchObject({ ok: false });
    }
    const unlabelled = fields[signature]!.replace(`${label}${scheme.labelSeparator}`, '');
    expect(result(scheme, { ...fields, [signature]: unlabelled })).toBe('malformed_signature');
  });

  it('accepts a matching signature among unknown labels and other signatures, if its header is a list', () => {
    if (scheme.entrySeparator === null) return;
    const fields = signed(scheme);
    const s = scheme.entrySeparator;
    const l = scheme.labelSeparator;
    const wrong = signed(scheme, { secret: secretFor(scheme).replace('1', '2') })[signature]!.replace(STAMP, '');
    for (const value of [
      `${fields[signature]}${s}${wrong}`,
      `${fields[signature]}${s}v0${l}abc${s}v9${l}`,
      `v0${l}abc${s}${fields[signature]}`,
      `${fields[signature]!.replace(STAMP_OR_NOTHING, `$1${wrong}${s}`)}`,
    ]) {
      expect(result(scheme, { ...fields, [signature]: value }), value).toBe('accepted');
    }
    const long = fields[signature]!.replace(STAMP_OR_NOTHING, `$1${`${wrong}${s}`.repeat(100)}`);
    expect(result(scheme, { ...fields, [signature]: long })).toBe('accepted');
  });

  it('rejects a delivery without a required header, or with another value in a signed header', () => {
    for (const name of scheme.headers[0].required) {
      const { [name]: _, ...rest } = signed(scheme);
      expect(check(scheme, rest)).toEqual({ ok: false, reason: 'missing_header', detail: name });
      expect(result(scheme, { ...rest, [name]: '' })).toBe('missing_header');
      expect(result(scheme, { ...rest, [name]: 'evt_2' })).toBe('bad_signature');
    }
  });
});

describe('a provider whose editions send the delivery ID in different headers', () => {
  it.each([
    ['bitbucket', 'X-Request-UUID', 'X-Request-Id'],
    ['shopify', 'X-Shopify-Webhook-Id', 'X-Shopify-Event-Id'],
  ])('uses the second of %s only if the first is missing', (name, first, second) => {
    const fields = signed(need(name));
    const { [first]: _, ...rest } = fields;
    expect(check(need(name), { ...fields, [second]: 'other' })).toMatchObject({ ok: true, identity: 'evt_1' });
    expect(check(need(name), { ...rest, [second]: 'other' })).toMatchObject({ ok: true, identity: 'other' });
    expect(check(need(name), { ...rest, [first]: '', [second]: 'other' })).toMatchObject({ identity: 'other' });
    expect(check(need(name), rest)).toMatchObject({ ok: true, identity: null });
  });
});

it('accepts the header of WorkOS with its space and milliseconds, until its last retry', () => {
  const stamp = String(NOW_MS + 7);
  const mac = createHmac('sha256', secretFor(need('workos')))
    .update(`${stamp}.`)
    .update(BODY)
    .digest('hex');
  const fields = { 'WorkOS-Signature': `t=${stamp}, v1=${mac}` };
  expect(result(need('workos'), fields, BODY, NOW_MS + 73 * 3_600_000)).toBe('accepted');
  expect(result(need('workos'), fields, BODY, NOW_MS + 73 * 3_600_000 + 1000)).toBe('stale_timestamp');
});

it('decodes HTML entities in a secret only for WooCommerce, as WooCommerce does', () => {
  const mac = createHmac('sha256', `a&b'c`).update(BODY).digest('base64');
  const request = (name: string) => toSignedRequest({ headers: { [name]: mac }, body: BODY, nowMs: NOW_MS });
  const verify = (name: string) => verifierOf(need(name), 'a&amp;b&#039;c');
  expect(verify('woocommerce')(request('X-WC-Webhook-Signature'))).toMatchObject({ ok: true });
  expect(verify('line')(request('x-line-signature'))).toMatchObject({ ok: false, reason: 'bad_signature' });
});

it('rejects a header with more signatures than it checks with a public key', () => {
  const scheme = need('standard_webhooks');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
  const good = signWithKey(null, Buffer.concat([Buffer.from(`evt_1.${NOW_S}.`), BODY]), privateKey).toString('base64');
  const verify = verifierOf(scheme, `whpk_${raw.toString('base64')}`);
  const checkAfter = (count: number) => {
    const list = [...Array<string>(count).fill(`v1a,${Buffer.alloc(64, 1).toString('base64')}`), `v1a,${good}`];
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(NOW_S), 'webhook-signature': list.join(' ') };
    return verify(toSignedRequest({ headers, body: BODY, nowMs: NOW_MS }));
  };
  expect(checkAfter(15)).toMatchObject({ ok: true });
  expect(checkAfter(16)).toEqual({ ok: false, reason: 'malformed_signature', detail: 'more than 16 signatures' });
});

describe('Standard Webhooks and Svix', () => {
  const scheme = need('standard_webhooks');
  const webhook = signed(scheme, { deliveryId: 'msg_webhook' });
  const svix = Object.fromEntries(
    Object.entries(signed(scheme, { deliveryId: 'msg_svix' })).map(([name, v]) => [
      name.replace('webhook-', 'svix-'),
      v,
    ]),
  );

  it('uses the identity of the family whose signature verified', () => {
    expect(check(scheme, svix)).toEqual({ ok: true, family: 'svix', identity: 'msg_svix' });
    expect(check(scheme, { ...svix, ...webhook })).toEqual({ ok: true, family: 'webhook', identity: 'msg_webhook' });
    const forged = { ...svix, ...webhook, 'webhook-id': 'msg_forged' };
    expect(check(scheme, forged)).toEqual({ ok: true, family: 'svix', identity: 'msg_svix' });
    expect(check(scheme, { ...svix, 'webhook-id': 'msg_forged' })).toMatchObject({ identity: 'msg_svix' });
  });

  it('signs the received bytes of the ID, also outside of ASCII', () => {
    const key = Buffer.from(WHSEC.slice(6), 'base64');
    const mac = createHmac('sha256', key).update(`żółw.${NOW_S}.`, 'utf8').update(BODY).digest('base64');
    const received = Buffer.from('żółw', 'utf8').toString('latin1');
    const fields = { 'webhook-id': received, 'webhook-timestamp': String(NOW_S), 'webhook-signature': `v1,${mac}` };
    expect(check(scheme, fields)).toEqual({ ok: true, family: 'webhook', identity: received });
    expect(signed(scheme, { deliveryId: 'żółw' })['webhook-signature']).toBe(`v1,${mac}`);
  });

  it('never mixes the families', () => {
    const mixed = {
      'webhook-signature': svix['svix-signature']!,
      'svix-id': 'msg_svix',
      ...pick(svix, 'svix-timestamp'),
    };
    expect(check(scheme, mixed)).toEqual({ ok: false, reason: 'missing_header', detail: 'webhook-id' });
    const halves = { ...pick(webhook, 'webhook-id', 'webhook-signature'), ...pick(svix, 'svix-timestamp') };
    expect(result(scheme, halves)).toBe('missing_timestamp');
  });

  it('reads the secret with and without `whsec_`, and rejects it if it is not base64 or too short', () => {
    for (const secret of [WHSEC, WHSEC.slice(6), WHSEC.replace(/=+$/, '')]) {
      const verify = verifierOf(scheme, secret);
      expect(verify(toSignedRequest({ headers: webhook, body: BODY, nowMs: NOW_MS })).ok, secret).toBe(true);
    }
    const url = `whsec_${Buffer.alloc(32, 0xff).toString('base64url')}`;
    for (const secret of [
      `${WHSEC} `,
      `${WHSEC}!`,
      `${WHSEC}=`,
      'whsec_====',
      url,
      'whsec_',
      'whsec_AAAA',
      'whsec_whsec_AAAA',
    ]) {
      expect(compileSignatureVerifier(scheme, secret).ok, secret).toBe(false);
    }
    const sized = (bytes: number) =>
      compileSignatureVerifier(scheme, `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`).ok;
    expect([15, 16, 64, 65].map(sized)).toEqual([false, true, true, false]);
  });

  it('rejects the private key of a sender and names the key to paste', () => {
    const compiled = compileSignatureVerifier(scheme, `whsk_${Buffer.alloc(64, 1).toString('base64')}`);
    expect(compiled).toMatchObject({ ok: false, message: expect.stringContaining('whpk_') });
  });

  describe('with the public key of its sender', () => {
    const pair = generateKeyPairSync('ed25519');
    const rawKey = Buffer.from(pair.publicKey.export({ format: 'jwk' }).x!, 'base64url');
    const whpk = `whpk_${rawKey.toString('base64')}`;
    const content = Buffer.concat([Buffer.from(`msg_1.${NOW_S}.`), BODY]);
    const signature = signWithKey(null, content, pair.privateKey).toString('base64');
    const fields = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(NOW_S),
      'webhook-signature': `v1a,${signature}`,
    };
    const verify = verifierOf(scheme, whpk);
    const reasonOf = (headers: Headers) => {
      const result = verify(toSignedRequest({ headers: headers, body: BODY, nowMs: NOW_MS }));
      return result.ok ? 'accepted' : result.reason;
    };

    it('accepts v1a, also together with v1', () => {
      expect(reasonOf(fields)).toBe('accepted');
      expect(reasonOf({ ...fields, 'webhook-signature': `${webhook['webhook-signature']} v1a,${signature}` })).toBe(
        'accepted',
      );
    });

    it('rejects every one-bit change of the signature', () => {
      for (let bit = 0; bit < signature.length * 8; bit++) {
        const changed = flipTextBit(signature, bit);
        expect(reasonOf({ ...fields, 'webhook-signature': `v1a,${changed}` }), changed).not.toBe('accepted');
      }
    });

    it('never uses the public key as an HMAC key', () => {
      for (const key of [rawKey, whpk, rawKey.toString('base64')]) {
        const mac = createHmac('sha256', key).update(content).digest('base64');
        expect(reasonOf({ ...fields, 'webhook-signature': `v1,${mac}` })).toBe('malformed_signature');
        expect(reasonOf({ ...fields, 'webhook-signature': `v1a,${mac}` })).toBe('malformed_signature');
      }
    });

    it('does not let an HMAC key accept v1a', () => {
      expect(result(scheme, fields)).toBe('malformed_signature');
    });

    it('accepts only 32 bytes as a public key', () => {
      for (const bytes of [31, 33, 64]) {
        expect(compileSignatureVerifier(scheme, `whpk_${Buffer.alloc(bytes, 1).toString('base64')}`).ok).toBe(false);
      }
    });
  });
});

describe('Stripe', () => {
  const scheme = need('stripe');

  it('uses the whole text as the key, even if it looks like a secret of Standard Webhooks', () => {
    const mac = createHmac('sha256', WHSEC).update(`${NOW_S}.`).update(BODY).digest('hex');
    const request = toSignedRequest({
      headers: { 'Stripe-Signature': `t=${NOW_S},v1=${mac}` },
      body: BODY,
      nowMs: NOW_MS,
    });
    expect(verifierOf(scheme, WHSEC)(request).ok).toBe(true);
    expect(verifierOf(scheme, WHSEC.slice(6))(request).ok).toBe(false);
  });

  it('rejects an API key as the signing secret', () => {
    expect(compileSignatureVerifier(scheme, 'sk_live_123')).toMatchObject({
      ok: false,
      message: expect.stringContaining('whsec_'),
    });
  });

  it('rejects a second timestamp, regardless of which one is signed', () => {
    const value = signed(scheme)['Stripe-Signature']!;
    for (const header of [`t=1,${value}`, `${value},t=1`, `${value}, ${value}`]) {
      expect(result(scheme, { 'Stripe-Signature': header }), header).toBe('ambiguous_timestamp');
    }
  });
});

describe('a timestamp', () => {
  it.each([
    ['slack', '1790000000'],
    ['hubspot_v3', '1790000000000'],
    ['zendesk', '2026-09-21T14:13:20Z'],
  ])('under %s is accepted only in its form, and only once', (name, good) => {
    const scheme = need(name);
    const header = scheme.headers[0].timestamp!;
    const fields = signed(scheme);
    expect(fields[header]).toBe(good);
    const wrong = [`${good}junk`, `${good}.0`, `+${good}`, `-${good}`, '1.79e9', '0x6AB13B80', 'NaN', '١٧٩٠٠٠٠٠٠٠'];
    for (const text of [...wrong, `${good} 1`, '9'.repeat(400)]) {
      expect(result(scheme, { ...fields, [header]: text }), text).toBe('malformed_timestamp');
    }
    expect(result(scheme, { ...fields, [header]: '' })).toBe('missing_timestamp');
    expect(result(scheme, { ...fields, [header]: `${good}, ${good}` })).toBe('ambiguous_timestamp');
  });

  it('in milliseconds is not interpreted as seconds, nor the reverse', () => {
    const [slack, hubspot] = [need('slack'), need('hubspot_v3')];
    const at = (scheme: SignatureScheme, text: string) =>
      result(scheme, { ...signed(scheme), [scheme.headers[0].timestamp!]: text });
    expect(at(slack, String(NOW_MS))).toBe('malformed_timestamp');
    expect(at(hubspot, String(NOW_S))).toBe('stale_timestamp');
  });

  it('is rejected with its difference from the clock', () => {
    const scheme = need('slack');
    expect(check(scheme, signed(scheme), BODY, NOW_MS - 400_000)).toEqual({
      ok: false,
      reason: 'future_timestamp',
      detail: 'by 400 seconds; 300 are allowed',
    });
  });

  it('in another time zone is the same time', () => {
    const scheme = need('zendesk');
    const text = '2026-09-21T07:13:20-07:00';
    const mac = createHmac('sha256', secretFor(scheme)).update(text).update(BODY).digest('base64');
    const names = { at: scheme.headers[0].timestamp!, signature: headerOf(scheme) };
    expect(result(scheme, { [names.at]: text, [names.signature]: mac })).toBe('accepted');
  });
});

describe('Linear', () => {
  const scheme = need('linear');
  const signBody = (body: Buffer) => ({
    'Linear-Signature': createHmac('sha256', secretFor(scheme)).update(body).digest('hex'),
  });

  it.each([
    [`{"webhookTimestamp":${NOW_MS}}`, 'accepted'],
    [`{"webhookTimestamp":${NOW_MS - 7.5 * 3_600_000}}`, 'accepted'],
    [`{"webhookTimestamp":${NOW_MS - 7.5 * 3_600_000 - 1000}}`, 'stale_timestamp'],
    [`{"webhookTimestamp":${NOW_MS + 61_000}}`, 'future_timestamp'],
    [`{"webhookTimestamp":"${NOW_MS}"}`, 'missing_timestamp'],
    [`{"webhookTimestamp":${NOW_MS}.5}`, 'malformed_timestamp'],
    ['{"webhookTimestamp":null}', 'missing_timestamp'],
    ['{"data":{}}', 'missing_timestamp'],
    ['[1]', 'missing_timestamp'],
    ['no JSON', 'missing_timestamp'],
  ])('reads the timestamp in a verified body: %s', (text, expected) => {
    const body = Buffer.from(text);
    expect(result(scheme, signBody(body), body)).toBe(expected);
  });

  it('does not parse a body before it is verified', () => {
    const request = toSignedRequest({ headers: { 'Linear-Signature': '0'.repeat(64) }, body: BODY, nowMs: NOW_MS });
    const json = () => {
      throw new Error('parsed');
    };
    expect(verifierOf(scheme)({ ...request, json })).toMatchObject({ reason: 'bad_signature' });
  });
});

describe('headers that describe the signature', () => {
  it('must match the scheme: Box', () => {
    const scheme = need('box');
    const fields = signed(scheme);
    expect(check(scheme, { ...fields, 'BOX-SIGNATURE-VERSION': '2' })).toMatchObject({ reason: 'unexpected_header' });
    expect(check(scheme, { ...fields, 'BOX-SIGNATURE-ALGORITHM': '' })).toMatchObject({ reason: 'missing_header' });
  });

  it('X signs with the client secret or, for older apps, with the consumer secret', () => {
    const x = need('x');
    const { 'x-twitter-webhooks-signature-oauth2': good, ...others } = signed(x);
    const other = signed(x, { secret: 'other' })['x-twitter-webhooks-signature-oauth2']!;
    expect(others).toEqual({});
    expect(result(x, { 'x-twitter-webhooks-signature': good! })).toBe('accepted');
    const both = { 'x-twitter-webhooks-signature-oauth2': good!, 'x-twitter-webhooks-signature': other };
    expect(result(x, both)).toBe('accepted');
    expect(result(x, { ...both, 'x-twitter-webhooks-signature-oauth2': other })).toBe('bad_signature');
  });

  it('an event of Shopify that reaches two topics is two deliveries', () => {
    const shopify = need('shopify');
    const ids = ['orders', 'products'].map((topic) => {
      const fields = { ...signed(shopify, { deliveryId: topic }), 'x-shopify-event-id': 'evt_1' };
      const checked = check(shopify, fields);
      return checked.ok ? checked.identity : checked;
    });
    expect(ids).toEqual(['orders', 'products']);
  });

  it('a signature in any of the headers of a family counts: Box, DocuSign', () => {
    const box = need('box');
    const { 'BOX-SIGNATURE-PRIMARY': good, ...rest } = signed(box);
    const other = signed(box, { secret: 'other' })['BOX-SIGNATURE-PRIMARY']!;
    expect(result(box, { ...rest, 'BOX-SIGNATURE-PRIMARY': other, 'BOX-SIGNATURE-SECONDARY': good! })).toBe('accepted');
    const docusign = need('docusign');
    const signature = signed(docusign)['X-DocuSign-Signature-1']!;
    expect(result(docusign, { 'X-DocuSign-Signature-1': other, 'X-DocuSign-Signature-16': signature })).toBe(
      'accepted',
    );
  });
});

describe('an unsigned request', () => {
  it('is one with the text that Cal.com sends without a secret', () => {
    expect(result(need('calcom'), { 'X-Cal-Signature-256': 'no-secret-provided' })).toBe('missing_credential');
  });

  it("does not make Zendesk's published secret valid", () => {
    const compiled = compileSignatureVerifier(need('zendesk'), 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==');
    expect(compiled).toMatchObject({ ok: false, message: expect.stringContaining('is the published secret') });
  });
});

describe('Sentry', () => {
  it('does not check the timestamp, which its signature does not cover', () => {
    const scheme = need('sentry');
    const fields = signed(scheme);
    expect(fields['Sentry-Hook-Timestamp']).toBe(String(NOW_S));
    expect(result(scheme, { ...fields, 'Sentry-Hook-Timestamp': '1' })).toBe('accepted');
  });
});

function pick(fields: Headers, ...names: string[]): Headers {
  return Object.fromEntries(names.map((name) => [name, fields[name]!]));
}
