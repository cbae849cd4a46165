import { createHmac, generateKeyPairSync, sign as signWithKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestHeaders } from '../core/headers.ts';
import { AUTH_REASONS } from './auth-reasons.ts';
import type { Verify } from './compile-verifier.ts';
import { compileVerifier } from './compile-verifier.ts';
import type { Scheme } from './schemes.ts';
import { findScheme, SCHEMES } from './schemes.ts';
import { signRequest } from './sign.ts';

const NOW_S = 1_790_000_000;
const NOW_MS = NOW_S * 1000;
const BODY = Buffer.from('{"type":"pallet.scanned","data":{"lane":3,"note":"Łódź"}}');
const WHSEC = 'whsec_1MNUL8J+Daryfh2NZluOodAThg/KPACiEL8kPgWmeMU=';

type Headers = Record<string, string>;

/** Header fields as the ingress gives them: by lowercase name, own fields only. */
function headersOf(fields: Headers): RequestHeaders {
  const map = new Map(
    Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value.replace(/^[ \t]+|[ \t]+$/g, '')]),
  );
  return { get: (name) => map.get(name) };
}

function secretFor(scheme: Scheme): string {
  return scheme.name === 'standard_webhooks' ? WHSEC : 'dock-Lm3_gangway.beacon~17';
}

function verifierOf(scheme: Scheme, secret = secretFor(scheme)): Verify {
  const compiled = compileVerifier(scheme, secret);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.verify;
}

function signed(scheme: Scheme, options: { body?: Uint8Array; nowMs?: number; deliveryId?: string } = {}): Headers {
  const delivery = {
    body: options.body ?? BODY,
    nowMs: options.nowMs ?? NOW_MS,
    deliveryId: options.deliveryId ?? 'evt_1',
    newId: () => 'never asked',
  };
  return signRequest(scheme, secretFor(scheme), delivery);
}

function judge(scheme: Scheme, fields: Headers, body: Uint8Array = BODY, nowMs = NOW_MS) {
  return verifierOf(scheme)({ headers: headersOf(fields), body, nowMs });
}

/** `accepted`, or the reason. */
function verdict(scheme: Scheme, fields: Headers, body: Uint8Array = BODY, nowMs = NOW_MS): string {
  const result = judge(scheme, fields, body, nowMs);
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

function need(name: string): Scheme {
  const scheme = findScheme(name);
  if (scheme === undefined) throw new Error(`no scheme ${name}`);
  return scheme;
}

describe.each(SCHEMES)('the scheme $name', (scheme) => {
  const { signature } = scheme.headers[0];
  const timestamp = scheme.timestamp?.signed ? scheme.timestamp : null;

  it('accepts what it signs, and names family and delivery', () => {
    const identity = scheme.headers[0].identity === null ? null : 'evt_1';
    expect(judge(scheme, signed(scheme))).toEqual({ ok: true, family: scheme.headers[0].name, identity });
  });

  it('accepts an empty body that is signed as empty', () => {
    const empty = new Uint8Array(0);
    expect(verdict(scheme, signed(scheme, { body: empty }), empty)).toBe('accepted');
    expect(verdict(scheme, signed(scheme, { body: empty }))).toBe('bad_signature');
  });

  it('counts an absent, empty or prefix-only signature as unsigned', () => {
    const { [signature]: value, ...rest } = signed(scheme);
    expect(verdict(scheme, rest)).toBe('missing_credential');
    expect(verdict(scheme, { ...rest, [signature]: '' })).toBe('missing_credential');
    const label = scheme.keys.at(-1)!.label;
    if (label === null) return;
    const prefixOnly = value!.slice(0, value!.indexOf(`${label}${scheme.labelSeparator}`) + label.length + 1);
    expect(verdict(scheme, { ...rest, [signature]: prefixOnly })).toBe('missing_credential');
  });

  it('refuses every one-bit change of the body', () => {
    const verify = verifierOf(scheme);
    const headers = headersOf(signed(scheme));
    for (let bit = 0; bit < BODY.length * 8; bit++) {
      const result = verify({ headers, body: flipBit(BODY, bit), nowMs: NOW_MS });
      expect(result, `bit ${bit}`).toMatchObject({ ok: false, reason: 'bad_signature' });
    }
  });

  it('refuses every one-bit change of the signature header', () => {
    const verify = verifierOf(scheme);
    const fields = signed(scheme);
    for (let bit = 0; bit < fields[signature]!.length * 8; bit++) {
      const changed = { ...fields, [signature]: flipTextBit(fields[signature]!, bit) };
      const result = verify({ headers: { get: (n) => headersOf(changed).get(n) }, body: BODY, nowMs: NOW_MS });
      expect(result.ok, `bit ${bit}: ${changed[signature]}`).toBe(false);
    }
  });

  it('refuses a body that was printed again', () => {
    const body = Buffer.from('{ "ratio": 2.0, "name": "\\u00fcber" }');
    const printed = Buffer.from(JSON.stringify(JSON.parse(body.toString())));
    expect(verdict(scheme, signed(scheme, { body }), body)).toBe('accepted');
    expect(verdict(scheme, signed(scheme, { body }), printed)).toBe('bad_signature');
  });

  it('verifies the bytes received: a byte order mark, CRLF and invalid UTF-8 stay what they are', () => {
    for (const body of [Buffer.from('\ufeff{}'), Buffer.from('{}\r\n'), Buffer.from([0x22, 0xff, 0xfe, 0x00, 0x22])]) {
      expect(verdict(scheme, signed(scheme, { body }), body)).toBe('accepted');
    }
    expect(verdict(scheme, signed(scheme, { body: Buffer.from('\ufeff{}') }), Buffer.from('{}'))).toBe('bad_signature');
    expect(verdict(scheme, signed(scheme, { body: Buffer.from('{}\r\n') }), Buffer.from('{}\n'))).toBe('bad_signature');
  });

  it('refuses junk behind, before and inside the signature', () => {
    const fields = signed(scheme);
    const value = fields[signature]!;
    for (const junk of ['0', 'zz', '=', '\0', '!', '\u00e9', '\u00a0', '\v', '%20', ';', '00'.repeat(32)]) {
      for (const changed of [`${value}${junk}`, `${value.slice(0, -1)}${junk}`, value.replace(/[=,]|^/, `$&${junk}`)]) {
        if (changed !== value)
          expect(verdict(scheme, { ...fields, [signature]: changed }), changed).not.toBe('accepted');
      }
    }
  });

  it('refuses the digest in the other encoding, in upper case, cut and doubled', () => {
    const fields = signed(scheme);
    const value = fields[signature]!;
    const digest = value.slice(Math.max(value.lastIndexOf(','), value.search(/=(?!=|$)/), -1) + 1).replace(/^v1=/, '');
    const other = Buffer.from(digest, scheme.encoding).toString(scheme.encoding === 'hex' ? 'base64' : 'hex');
    const wrong = [other, digest.toUpperCase(), digest.toLowerCase(), digest.slice(1), digest.slice(0, -2)];
    for (const text of [...wrong, `${digest}${digest}`].filter((one) => one !== digest)) {
      expect(verdict(scheme, { ...fields, [signature]: value.replace(digest, text) }), text).not.toBe('accepted');
    }
  });

  it('refuses a signature under another label, so that no weaker version can be played', () => {
    const label = scheme.keys.at(-1)!.label;
    if (label === null) return;
    const fields = signed(scheme);
    for (const other of ['v0', 'v2', 'v1a', 'sha1', 'SHA256', label.toUpperCase(), ` ${label} x`, '', '__proto__']) {
      const changed = fields[signature]!.replace(
        `${label}${scheme.labelSeparator}`,
        `${other}${scheme.labelSeparator}`,
      );
      expect(judge(scheme, { ...fields, [signature]: changed }), other).toMatchObject({ ok: false });
    }
    const unlabelled = fields[signature]!.replace(`${label}${scheme.labelSeparator}`, '');
    expect(verdict(scheme, { ...fields, [signature]: unlabelled })).toBe('malformed_signature');
  });

  it('accepts a matching signature beside unknown labels and other signatures, where its header is a list', () => {
    if (scheme.entrySeparator === null) return;
    const fields = signed(scheme);
    const s = scheme.entrySeparator;
    const l = scheme.labelSeparator;
    const wrong = signRequest(scheme, secretFor(scheme).replace('1', '2'), {
      body: BODY,
      nowMs: NOW_MS,
      deliveryId: 'evt_1',
      newId: () => '',
    })[signature]!.replace(/^t=\d+,/, '');
    for (const value of [
      `${fields[signature]}${s}${wrong}`,
      `${fields[signature]}${s}v0${l}abc${s}v9${l}`,
      `v0${l}abc${s}${fields[signature]}`,
      `${fields[signature]!.replace(/^(t=\d+,)?/, `$1${wrong}${s}`)}`,
    ]) {
      expect(verdict(scheme, { ...fields, [signature]: value }), value).toBe('accepted');
    }
    const flood = fields[signature]!.replace(/^(t=\d+,)?/, `$1${`${wrong}${s}`.repeat(16)}`);
    expect(judge(scheme, { ...fields, [signature]: flood })).toEqual({
      ok: false,
      reason: 'malformed_signature',
      detail: 'more than 16 signatures',
    });
  });

  it('refuses a signature made with another secret', () => {
    const other = verifierOf(scheme, scheme.name === 'standard_webhooks' ? `whsec_${'AAAA'.repeat(8)}` : 'other');
    const result = other({ headers: headersOf(signed(scheme)), body: BODY, nowMs: NOW_MS });
    expect(result).toEqual({ ok: false, reason: 'bad_signature', detail: null });
  });

  it('holds its time window in both directions to the second, or signs no time', () => {
    for (const [offsetS, expected] of [
      [0, 'accepted'],
      [300, 'accepted'],
      [301, 'stale_timestamp'],
      [-300, 'accepted'],
      [-301, 'future_timestamp'],
      [86_400 * 365, 'stale_timestamp'],
    ] as const) {
      const got = verdict(scheme, signed(scheme), BODY, NOW_MS + offsetS * 1000);
      expect(got, `${offsetS} s`).toBe(timestamp === null ? 'accepted' : expected);
    }
    if (timestamp === null) return;
    expect(verdict(scheme, signed(scheme), BODY, NOW_MS + 300_999)).toBe('accepted');
    expect(judge(scheme, signed(scheme), BODY, NOW_MS - 400_000)).toMatchObject({
      reason: 'future_timestamp',
      detail: 'by 400 seconds; 300 are allowed',
    });
  });

  it('takes a timestamp only as whole seconds, once', () => {
    if (timestamp === null) return;
    const restamp = (fields: Headers, text: string): Headers => {
      const header = scheme.headers[0].timestamp;
      if (header !== null) return { ...fields, [header]: text };
      return { ...fields, [signature]: fields[signature]!.replace(/^t=[^,]*/, `t=${text}`) };
    };
    const fields = signed(scheme);
    for (const text of [
      '1790000000junk',
      '1790000000.0',
      '+1790000000',
      '-1790000000',
      '1.79e9',
      '0x6AB13B80',
      'NaN',
    ]) {
      expect(verdict(scheme, restamp(fields, text)), text).toBe('malformed_timestamp');
    }
    for (const text of ['1790000000000', '١٧٩٠٠٠٠٠٠٠', '1790000000 1', '9'.repeat(400)]) {
      expect(verdict(scheme, restamp(fields, text)), text).toBe('malformed_timestamp');
    }
    expect(verdict(scheme, restamp(fields, ''))).toBe('missing_timestamp');
    expect(verdict(scheme, restamp(fields, '0'))).toBe('stale_timestamp');
    expect(verdict(scheme, restamp(fields, '999999999999'))).toBe('future_timestamp');
    expect(verdict(scheme, restamp(fields, String(NOW_S + 1)))).toBe('bad_signature');
    const twice = timestamp.from.place === 'header' ? `${NOW_S}, ${NOW_S}` : `${NOW_S},t=${NOW_S}`;
    expect(verdict(scheme, restamp(fields, twice))).toBe('ambiguous_timestamp');
  });

  it('refuses a delivery without a header that it needs, or with another value in a signed one', () => {
    for (const name of scheme.headers[0].required) {
      const { [name]: _, ...rest } = signed(scheme);
      expect(judge(scheme, rest)).toEqual({ ok: false, reason: 'missing_header', detail: name });
      expect(verdict(scheme, { ...rest, [name]: '' })).toBe('missing_header');
      expect(verdict(scheme, { ...rest, [name]: 'evt_2' })).toBe('bad_signature');
    }
  });

  it('refuses an empty secret and one with a line break at its end, and tells what to do without telling the secret', () => {
    for (const secret of ['', ' ', '\n', `${secretFor(scheme)}\n`, `\r\n${secretFor(scheme)}`]) {
      const compiled = compileVerifier(scheme, secret);
      expect(compiled.ok, JSON.stringify(secret)).toBe(false);
      if (compiled.ok) continue;
      expect(compiled.message).toMatch(/is empty|line break/);
      expect(compiled.hint).toMatch(/^Paste the secret exactly as/);
      expect(compiled.message + compiled.hint).not.toContain(secretFor(scheme));
    }
  });

  it('never throws, whatever the headers hold, and gives no reason that is not in the table', () => {
    const verify = verifierOf(scheme);
    const names = scheme.headers.flatMap((f) => [f.signature, f.timestamp, f.identity].filter((name) => name !== null));
    const good = signed(scheme);
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ maxLength: 200 }),
      fc.stringMatching(/^(t=\d{1,12},?|v1a?[=,][0-9a-f]{0,64}|[ ,=;]|sha256=){0,30}$/),
      fc.constantFrom(...Object.values(good), '__proto__', ',,,,', '=', 'v1=', 'v1,'),
    );
    const fields = fc.dictionary(fc.constantFrom(...names), value);
    fc.assert(
      fc.property(fields, fc.uint8Array({ maxLength: 50 }), fc.maxSafeInteger(), (headers, body, nowMs) => {
        const result = verify({ headers: headersOf(headers), body, nowMs });
        expect(result.ok || Object.hasOwn(AUTH_REASONS, result.reason)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('verifies whatever it signs, and nothing else: any body, any ID, any flipped bit', () => {
    const verify = verifierOf(scheme);
    const id = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((text) => /^[^\p{C}\s]+$/u.test(text));
    const seconds = fc.integer({ min: 1, max: 4_000_000_000 });
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        id,
        seconds,
        fc.nat(),
        (body, deliveryId, s, bit) => {
          const headers = headersOf(signed(scheme, { body, deliveryId, nowMs: s * 1000 }));
          const result = verify({ headers, body, nowMs: s * 1000 });
          const received = Buffer.from(deliveryId, 'utf8').toString('latin1');
          const identity = scheme.headers[0].identity === null ? null : received;
          expect(result).toEqual({ ok: true, family: scheme.headers[0].name, identity });
          const changed = flipBit(body, bit % (body.length * 8));
          expect(verify({ headers, body: changed, nowMs: s * 1000 }).ok).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });
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

  it('takes the identity from the family whose signature verified', () => {
    expect(judge(scheme, svix)).toEqual({ ok: true, family: 'svix', identity: 'msg_svix' });
    expect(judge(scheme, { ...svix, ...webhook })).toEqual({ ok: true, family: 'webhook', identity: 'msg_webhook' });
    const forged = { ...svix, ...webhook, 'webhook-id': 'msg_forged' };
    expect(judge(scheme, forged)).toEqual({ ok: true, family: 'svix', identity: 'msg_svix' });
    expect(judge(scheme, { ...svix, 'webhook-id': 'msg_forged' })).toMatchObject({ identity: 'msg_svix' });
  });

  it('signs the bytes of the ID as they were on the wire, also beyond ASCII', () => {
    const key = Buffer.from(WHSEC.slice(6), 'base64');
    const mac = createHmac('sha256', key).update(`żółw.${NOW_S}.`, 'utf8').update(BODY).digest('base64');
    const received = Buffer.from('żółw', 'utf8').toString('latin1');
    const fields = { 'webhook-id': received, 'webhook-timestamp': String(NOW_S), 'webhook-signature': `v1,${mac}` };
    expect(judge(scheme, fields)).toEqual({ ok: true, family: 'webhook', identity: received });
    expect(signed(scheme, { deliveryId: 'żółw' })['webhook-signature']).toBe(`v1,${mac}`);
  });

  it('never mixes the families', () => {
    const mixed = {
      'webhook-signature': svix['svix-signature']!,
      'svix-id': 'msg_svix',
      ...pick(svix, 'svix-timestamp'),
    };
    expect(judge(scheme, mixed)).toEqual({ ok: false, reason: 'missing_header', detail: 'webhook-id' });
    const halves = { ...pick(webhook, 'webhook-id', 'webhook-signature'), ...pick(svix, 'svix-timestamp') };
    expect(verdict(scheme, halves)).toBe('missing_timestamp');
  });

  it('reads the secret with and without `whsec_`, and refuses what is not base64 or too short', () => {
    for (const secret of [WHSEC, WHSEC.slice(6), WHSEC.replace(/=+$/, '')]) {
      const verify = verifierOf(scheme, secret);
      expect(verify({ headers: headersOf(webhook), body: BODY, nowMs: NOW_MS }).ok, secret).toBe(true);
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
      expect(compileVerifier(scheme, secret).ok, secret).toBe(false);
    }
    const sized = (bytes: number) => compileVerifier(scheme, `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`).ok;
    expect([15, 16, 64, 65].map(sized)).toEqual([false, true, true, false]);
  });

  it('refuses the private key of a sender and says which key to paste', () => {
    const compiled = compileVerifier(scheme, `whsk_${Buffer.alloc(64, 1).toString('base64')}`);
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
      const result = verify({ headers: headersOf(headers), body: BODY, nowMs: NOW_MS });
      return result.ok ? 'accepted' : result.reason;
    };

    it('accepts v1a, also beside v1', () => {
      expect(reasonOf(fields)).toBe('accepted');
      expect(reasonOf({ ...fields, 'webhook-signature': `${webhook['webhook-signature']} v1a,${signature}` })).toBe(
        'accepted',
      );
    });

    it('refuses every one-bit change of the signature', () => {
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
      expect(verdict(scheme, fields)).toBe('malformed_signature');
    });

    it('takes only 32 bytes for a public key', () => {
      for (const bytes of [31, 33, 64]) {
        expect(compileVerifier(scheme, `whpk_${Buffer.alloc(bytes, 1).toString('base64')}`).ok).toBe(false);
      }
    });
  });
});

describe('Stripe', () => {
  const scheme = need('stripe');

  it('uses the whole text as key, also when it looks like that of Standard Webhooks', () => {
    const mac = createHmac('sha256', WHSEC).update(`${NOW_S}.`).update(BODY).digest('hex');
    const headers = headersOf({ 'Stripe-Signature': `t=${NOW_S},v1=${mac}` });
    expect(verifierOf(scheme, WHSEC)({ headers, body: BODY, nowMs: NOW_MS }).ok).toBe(true);
    expect(verifierOf(scheme, WHSEC.slice(6))({ headers, body: BODY, nowMs: NOW_MS }).ok).toBe(false);
  });

  it('refuses an API key as signing secret', () => {
    expect(compileVerifier(scheme, 'sk_live_123')).toMatchObject({
      ok: false,
      message: expect.stringContaining('whsec_'),
    });
  });

  it('refuses a second timestamp, whichever of the two is signed', () => {
    const value = signed(scheme)['Stripe-Signature']!;
    for (const header of [`t=1,${value}`, `${value},t=1`, `${value}, ${value}`]) {
      expect(verdict(scheme, { 'Stripe-Signature': header }), header).toBe('ambiguous_timestamp');
    }
  });
});

describe('Sentry', () => {
  it('does not check the timestamp, which its signature does not cover', () => {
    const scheme = need('sentry');
    const fields = signed(scheme);
    expect(fields['Sentry-Hook-Timestamp']).toBe(String(NOW_S));
    expect(verdict(scheme, { ...fields, 'Sentry-Hook-Timestamp': '1' })).toBe('accepted');
  });
});

function pick(fields: Headers, ...names: string[]): Headers {
  return Object.fromEntries(names.map((name) => [name, fields[name]!]));
}
