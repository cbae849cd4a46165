import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../test/helpers/any-text.ts';
import { makeSecrets } from '../../../test/helpers/scheme-secrets.ts';
import { receive, resultOf, toSignedRequest, WEBHOOK_URL } from '../../../test/helpers/signed-request.ts';
import { AUTH_REASONS } from '../../domain/words/delivery-reasons.ts';
import type { SignedDelivery } from './outgoing-delivery.ts';
import type { Scheme, SignatureScheme } from './scheme.ts';
import { describeScheme } from './schemes/describe-scheme.ts';
import { resolveScheme } from './schemes/resolve-scheme.ts';
import { listCredentialPlaces, listIdentities, SCHEMES } from './schemes/schemes.ts';
import { signRequest } from './sign/sign-request.ts';
import type { Verify } from './verification.ts';
import { compileVerifier } from './verify/compile-verifier.ts';

const NOW_MS = 1_790_000_000_000;
const BODY = Buffer.from('{"type":"pallet.scanned","data":{"lane":3,"note":"Łódź"}}');

function canSign(scheme: Scheme): boolean {
  return describeScheme(scheme).signedWith !== 'provider';
}

/** The table, and schemes that a definition can configure. Schemes that only the provider can sign have separate tests. */
const WALKED: Scheme[] = [
  ...SCHEMES.filter(canSign),
  {
    ...resolveScheme('grafana', { header: 'X-G', timestamp: { header: 'X-G-Time' } })!,
    name: 'grafana (timestamped)',
  } as Scheme,
  {
    ...resolveScheme('custom', {
      header: 'X-S',
      algorithm: 'hmac-sha512',
      encoding: 'base64',
      entrySeparator: ';',
      label: 's',
      content: '{{{method}}} {url}|{id}|{timestamp}|{body}',
      timestamp: { label: 'at', unit: 'rfc3339', toleranceSeconds: 60, futureToleranceSeconds: 5 },
      idHeader: 'X-Id',
    })!,
    name: 'custom',
  } as Scheme,
];

/** The ID of the event is read from the payload, with what filters need. */
function readsIdentity(scheme: Scheme): boolean {
  return listIdentities({ ...scheme, eventId: undefined } as Scheme).length > 0;
}

function compile(scheme: Scheme, secret: string): Verify {
  const compiled = compileVerifier(scheme, secret);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.verify;
}

function sign(scheme: Scheme, signing: string): SignedDelivery {
  const delivery = { url: WEBHOOK_URL, body: BODY, nowMs: NOW_MS, deliveryId: 'evt_1', newId: () => 'never asked' };
  return signRequest(scheme, signing, delivery);
}

function flipBit(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = copy[bit >> 3]! ^ (1 << (bit & 7));
  return copy;
}

/** The header of a signed delivery that carries the credential; `null` if the body does. */
function credentialHeader(scheme: Scheme, signed: SignedDelivery): string | null {
  return listCredentialPlaces(scheme).find((name) => Object.hasOwn(signed.headers, name)) ?? null;
}

function readPayload(form: Uint8Array): string | null {
  return new URLSearchParams(Buffer.from(form).toString('utf8')).get('payload');
}

/** Mailgun signs a token, not the event; a token does not cover any body. */
function coversBody(scheme: Scheme): boolean {
  return scheme.family !== 'token' && scheme.name !== 'mailgun';
}

describe.each(WALKED)('$name', (scheme) => {
  const { verifying, signing } = makeSecrets(scheme);
  const verify = compile(scheme, verifying);
  const signed = sign(scheme, signing);
  const check = async (change: Parameters<typeof receive>[2] = {}, nowMs = NOW_MS) =>
    resultOf(await verify(receive(signed, nowMs, change)));
  const header = credentialHeader(scheme, signed);

  it('accepts what it signs, and returns the delivery ID if the scheme has one', async () => {
    const result = await verify(receive(signed, NOW_MS));
    expect(result).toMatchObject({ ok: true, identity: readsIdentity(scheme) ? 'evt_1' : null });
  });

  it('rejects a request without a credential, and one with an empty credential', async () => {
    const names = listCredentialPlaces(scheme).map((name) => name.toLowerCase());
    const bare = Object.fromEntries(
      Object.entries(signed.headers).filter(([name]) => !names.includes(name.toLowerCase())),
    );
    expect(await check({ headers: bare, body: BODY })).toBe('missing_credential');
    if (header === null) return;
    expect(await check({ headers: { ...signed.headers, [header]: '' } })).toBe('missing_credential');
  });

  it('rejects every one-bit change of the body, if the scheme covers it (threat model N5)', async () => {
    for (let bit = 0; bit < signed.body.length * 8; bit++) {
      const body = flipBit(signed.body, bit);
      // The escapes of a form may have any letter case: the decoded text is signed.
      const isSame = scheme.name === 'travis' && readPayload(body) === readPayload(signed.body);
      if (coversBody(scheme) && !isSame) expect(await check({ body }), `bit ${bit}`).not.toBe('accepted');
    }
  });

  it('rejects every one-bit change of the credential (threat model N5)', async () => {
    const value = header === null ? '' : signed.headers[header]!;
    // The name of an HTTP scheme (`Basic`) may have any letter case.
    const from = /^(?:Basic|Bearer) /.exec(value)?.[0].length ?? 0;
    for (let bit = from * 8; bit < value.length * 8; bit++) {
      const changed = flipBit(Buffer.from(value, 'latin1'), bit).toString('latin1');
      expect(await check({ headers: { ...signed.headers, [header!]: changed } }), `bit ${bit}: ${changed}`).not.toBe(
        'accepted',
      );
    }
  });

  it('rejects a delivery that another secret signed', async () => {
    const other = makeSecrets(scheme);
    const isFixed = other.signing === signing;
    const text = isFixed ? signing.replace(/1/, '2') : other.signing;
    const forged = sign(scheme, text);
    expect(resultOf(await verify(receive(forged, NOW_MS)))).toBe(
      scheme.family === 'token' ? 'bad_credential' : 'bad_signature',
    );
  });

  it('enforces its tolerance to the second, or signs no timestamp', async () => {
    const rule = scheme.family === 'signature' && scheme.timestamp?.signed ? scheme.timestamp : null;
    const past = rule?.toleranceSeconds ?? 0;
    const future = rule?.futureToleranceSeconds ?? past;
    for (const [offsetS, expected] of [
      [past, 'accepted'],
      [past + 1, 'stale_timestamp'],
      [86_400 * 365, 'stale_timestamp'],
      [-future, 'accepted'],
      [-future - 1, 'future_timestamp'],
    ] as const) {
      const got = await check({}, NOW_MS + offsetS * 1000);
      expect(got, `${offsetS} s`).toBe(rule === null ? 'accepted' : expected);
    }
  });

  it('rejects an empty secret and a private key, and never shows them', () => {
    const pem = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n';
    for (const secret of ['', ' ', '\n', pem]) {
      const compiled = compileVerifier(scheme, secret);
      expect(compiled, JSON.stringify(secret)).toMatchObject({
        ok: false,
        message: expect.stringMatching(/is empty|private key/),
      });
      expect(JSON.stringify(compiled)).not.toContain('MC4CAQ');
    }
  });

  it('rejects a line break at either end of a secret that is not a PEM file', () => {
    if (verifying.includes('BEGIN')) return;
    for (const secret of [`${verifying}\n`, `\r\n${verifying}`]) {
      expect(compileVerifier(scheme, secret)).toMatchObject({
        ok: false,
        message: expect.stringContaining('line break'),
      });
    }
  });
});

const KEYS = [
  'signature',
  'timestamp',
  'token',
  'value',
  'clientState',
  'webhookTimestamp',
  '__proto__',
  'constructor',
];
const SNS_KEYS = [
  'Type',
  'Signature',
  'SignatureVersion',
  'SigningCertURL',
  'TopicArn',
  'Message',
  'Subject',
  'MessageId',
];

describe('hostile requests', () => {
  const leaf = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom('Notification', '1', '2', '', NOW_MS, 'dock-Lm3_gangway:beacon~17'),
  );
  const keys = fc.constantFrom(...KEYS, ...SNS_KEYS);
  const tree = fc.oneof(
    leaf,
    fc.dictionary(keys, fc.oneof(leaf, fc.array(fc.dictionary(keys, leaf)), fc.dictionary(keys, leaf))),
  );
  const body = fc.oneof(
    tree.map((value) => Buffer.from(JSON.stringify(value))),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    fc.webQueryParameters().map((text) => Buffer.from(text)),
  );

  it.each(SCHEMES)('never make the verifier of $name throw or give an unknown reason', (scheme) => attack(scheme, 30));
  it.each(SCHEMES)('never do so with $name, in more cases', { tags: 'full' }, (scheme) => attack(scheme, 150));

  async function attack(scheme: Scheme, numRuns: number): Promise<void> {
    const { verifying, signing } = makeSecrets(scheme);
    const compiled = compileVerifier(scheme, verifying, async () => null);
    if (!compiled.ok) throw new Error(compiled.message);
    const good = canSign(scheme) ? sign(scheme, signing) : { headers: {}, body: BODY, query: '' };
    const names = [
      ...Object.keys(good.headers),
      ...listCredentialPlaces(scheme).filter((name) => !name.startsWith('body ')),
    ];
    const value = fc.oneof(
      anyText({ maxLength: 120 }).map((text) => Buffer.from(text).toString('latin1')),
      fc.stringMatching(/^(t=\d{1,12},?|v1a?[=,][0-9a-f]{0,64}|[ ,=;.]|sha256=|Basic |Bearer ){0,20}$/),
      fc.constantFrom(...Object.values(good.headers), '__proto__', ',,,,', '=', 'v1=', 'a.b.c', '0'),
    );
    const headers = fc.dictionary(fc.constantFrom(...names, 'X-None'), value);
    const url = fc.oneof(fc.constant(WEBHOOK_URL), fc.webUrl({ withQueryParameters: true }), fc.string());
    await fc.assert(
      fc.asyncProperty(headers, body, url, fc.maxSafeInteger(), async (fields, bytes, publicUrl, nowMs) => {
        const request = toSignedRequest({ headers: { ...fields }, body: bytes, url: publicUrl, nowMs });
        const result = await compiled.verify(request);
        expect(result.ok || result.reason === 'unavailable' || Object.hasOwn(AUTH_REASONS, result.reason)).toBe(true);
      }),
      { numRuns },
    );
  }
});

describe('public keys', () => {
  const rows = SCHEMES.filter(
    (scheme): scheme is SignatureScheme =>
      scheme.family === 'signature' && scheme.keys[0]!.algorithm.kind !== 'hmac' && scheme.keys.length === 1,
  );

  it('are the secrets of three schemes', () =>
    expect(rows.map(({ name }) => name)).toEqual(['discord', 'sendgrid', 'travis']));

  it.each(rows)('$name accepts only its type of key', (scheme) => {
    for (const other of rows) {
      const { verifying } = makeSecrets(other);
      expect(compileVerifier(scheme, verifying).ok, other.name).toBe(other === scheme);
    }
    for (const text of ['hunter2!', 'AAAA', 'zz'.repeat(32), 'a'.repeat(63), 'a'.repeat(66)]) {
      const compiled = compileVerifier(scheme, text);
      expect(compiled.ok, text).toBe(false);
      expect(JSON.stringify(compiled)).not.toContain(text);
    }
  });

  it('are never HMAC keys: a signature with the public key as an HMAC key is rejected', async () => {
    const { createHmac } = await import('node:crypto');
    for (const scheme of rows) {
      const { verifying, signing } = makeSecrets(scheme);
      const signed = sign(scheme, signing);
      const name = credentialHeader(scheme, signed)!;
      for (const key of [verifying, Buffer.from(verifying, 'hex'), Buffer.from(verifying, 'base64')]) {
        const forged = createHmac('sha512', key).update(signed.body).digest(scheme.encoding);
        const result = resultOf(
          await compile(scheme, verifying)(receive(signed, NOW_MS, { headers: { ...signed.headers, [name]: forged } })),
        );
        expect(result).not.toBe('accepted');
      }
    }
  });

  it('need 2048 bits for RSA, and the correct curve for ECDSA', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const print = (key: import('node:crypto').KeyObject) => key.export({ format: 'pem', type: 'spki' }) as string;
    const small = print(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey);
    expect(compileVerifier(SCHEMES.find(({ name }) => name === 'travis')!, small)).toMatchObject({
      message: expect.stringContaining('only 1024 bits'),
    });
    const curve = print(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey);
    expect(compileVerifier(SCHEMES.find(({ name }) => name === 'sendgrid')!, curve)).toMatchObject({
      message: expect.stringContaining('secp384r1'),
    });
  });
});
