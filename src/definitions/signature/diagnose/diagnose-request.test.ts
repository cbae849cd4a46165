import { createHash, createHmac, sign as createSignature, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { measureCpuMs } from '../../../../test/helpers/measure-cpu.ts';
import { makeSecrets } from '../../../../test/helpers/scheme-secrets.ts';
import { AUTH_REASONS } from '../../../domain/words/delivery-reasons.ts';
import type { Scheme, SignatureScheme } from '../scheme.ts';
import { describeScheme } from '../schemes/describe-scheme.ts';
import { BODY } from '../schemes/parts.ts';
import { findScheme, SCHEMES } from '../schemes/schemes.ts';
import { signRequest } from '../sign/sign-request.ts';
import { decompress } from './decompress.ts';
import {
  diagnoseReason,
  diagnoseRequest,
  MISTAKES,
  type RequestDiagnosis,
  type RequestToDiagnose,
} from './diagnose-request.ts';
import { BEARER } from './scheme-mistakes.ts';

const NOW_MS = 1_790_000_000_000;
const URL = 'https://hooks.example.com/webhooks/w/wh_0';
const BODY_TEXT = '{"b":"a/b","a":{"ä":1}}';
const SECRET = 'dock-Lm3_gangway:beacon~17';
const WHSEC = 'whsec_1MNUL8J+Daryfh2NZluOodAThg/KPACiEL8kPgWmeMU=';

type Sent = { headers: Record<string, string>; body?: string | Uint8Array };

/** The delivery that a sender of this scheme posts. */
function send(scheme: Scheme, secret: string, body: string | Uint8Array = BODY_TEXT, nowMs = NOW_MS, url = URL) {
  const delivery = { url, body: Buffer.from(body), nowMs, deliveryId: 'id-1', newId: () => 'id-1' };
  return signRequest(scheme, secret, delivery);
}

function diagnose(scheme: Scheme, secret: string, sent: Sent, more: Partial<RequestToDiagnose> = {}): RequestDiagnosis {
  const fields = new Map(Object.entries(sent.headers).map(([name, value]) => [name.toLowerCase(), value]));
  return diagnoseRequest({
    scheme,
    secrets: [{ version: 2, text: secret }],
    nowMs: NOW_MS,
    publicUrl: URL,
    headers: { get: (name) => fields.get(name) },
    body: Buffer.from(sent.body ?? BODY_TEXT),
    ...more,
  });
}

const of = (name: string) => findScheme(name) as SignatureScheme;
const mistakeOf = (diagnosis: RequestDiagnosis) => (diagnosis.ok ? diagnosis.mistake : 'unexplained');

/** The scheme with another key, as the code of a sender may derive it. */
function keyed(scheme: SignatureScheme, bytes: Uint8Array): [SignatureScheme, string] {
  const form = scheme.keys.find(({ algorithm }) => algorithm.kind === 'hmac');
  const key = { ...form!, prefix: '', decode: 'hex' as const, minBytes: 1, maxBytes: 1_000 };
  return [{ ...scheme, keys: [key], rejectedSecrets: [] }, Buffer.from(bytes).toString('hex')];
}

function headersOf(sent: Sent, change: (value: string) => string): Sent {
  return { ...sent, headers: Object.fromEntries(Object.entries(sent.headers).map(([n, v]) => [n, change(v)])) };
}

describe('a valid request', () => {
  it.each(
    SCHEMES.filter((scheme) => describeScheme(scheme).signedWith !== 'provider').map(
      (scheme) => [scheme.name, scheme] as const,
    ),
  )('of %s is reported as valid', (_, scheme) => {
    const { verifying, signing } = makeSecrets(scheme);
    const sent = send(scheme, signing);
    const publicUrl = sent.query === '' ? URL : `${URL}?${sent.query}`;
    expect(mistakeOf(diagnose(scheme, verifying, sent, { publicUrl }))).toBe('none');
  });

  it('is reported as valid at any time if its time of arrival is unknown', () => {
    const sent = send(of('slack'), SECRET, BODY_TEXT, 1_000_000_000_000);
    expect(mistakeOf(diagnose(of('slack'), SECRET, sent, { nowMs: null }))).toBe('none');
  });
});

describe('mistakes with the secret', () => {
  it.each(['github', 'stripe', 'gitlab', 'discord'])('an old version is found for %s', (name) => {
    const scheme = findScheme(name)!;
    const old = makeSecrets(scheme);
    const now = name === 'discord' ? makeSecrets(scheme).verifying : 'another-secret-entirely';
    const secrets = [
      { version: 2, text: now },
      { version: 1, text: old.verifying },
    ] as const;
    const found = diagnose(scheme, now, send(scheme, old.signing), { secrets });
    expect(mistakeOf(found)).toBe('old_secret_version');
    expect(found).toMatchObject({ sentence: expect.stringContaining('version 1') });
    const history = 'version 1 of KEY, replaced yesterday by alice';
    const known = [secrets[0], { ...secrets[1], history }] as const;
    expect(diagnose(scheme, now, send(scheme, old.signing), { secrets: known })).toMatchObject({
      sentence: `The sender uses an older version of the secret (${history}): give the sender the new value.`,
    });
  });

  it('a newer version that no apply has activated is named as such', () => {
    const secrets = [
      { version: 1, text: 'old' },
      { version: 2, text: SECRET },
    ] as const;
    expect(diagnose(of('github'), 'old', send(of('github'), SECRET), { secrets })).toMatchObject({
      mistake: 'new_secret_version',
      sentence: expect.stringContaining('commit any change to the production branch'),
    });
  });

  it.each(['github', 'stripe', 'shopify', 'slack'])('a line break at its end is found for %s', (name) => {
    expect(mistakeOf(diagnose(of(name), SECRET, send(...keyed(of(name), Buffer.from(`${SECRET}\n`)))))).toBe(
      'secret_newline',
    );
  });

  it.each([`"${SECRET}"`, ` ${SECRET} `])('quotes and spaces around the stored secret are found', (stored) => {
    for (const name of ['github', 'gitlab']) {
      expect(mistakeOf(diagnose(findScheme(name)!, stored, send(findScheme(name)!, SECRET)))).toBe('secret_padding');
    }
  });

  it('a decoded secret is found if the scheme uses text, with or without its prefix', () => {
    const whsec = send(...keyed(of('stripe'), Buffer.from(WHSEC.slice(6), 'base64')));
    expect(mistakeOf(diagnose(of('stripe'), WHSEC, whsec))).toBe('secret_decoded');
    const hex = send(...keyed(of('github'), Buffer.from('c0ffee00', 'hex')));
    expect(diagnose(of('github'), 'c0ffee00', hex)).toMatchObject({
      mistake: 'secret_decoded',
      sentence: expect.stringContaining('from hex'),
    });
  });

  it('a secret used as text is found if the scheme decodes it, whole or without its prefix', () => {
    for (const text of [WHSEC, WHSEC.slice(6)]) {
      const sent = send(...keyed(of('standard_webhooks'), Buffer.from(text)));
      expect(mistakeOf(diagnose(of('standard_webhooks'), WHSEC, sent))).toBe('secret_as_text');
    }
    const bare = send(...keyed(of('stripe'), Buffer.from('abc')));
    expect(mistakeOf(diagnose(of('stripe'), 'whsec_abc', bare))).toBe('secret_as_text');
  });

  it('a secret that the sender encodes first is found', () => {
    const sent = send(...keyed(of('github'), Buffer.from(Buffer.from(SECRET).toString('base64'))));
    expect(mistakeOf(diagnose(of('github'), SECRET, sent))).toBe('secret_encoded');
  });

  it('an unusable secret is reported without showing it', () => {
    const found = diagnose(of('standard_webhooks'), 'whsec_!', send(of('standard_webhooks'), WHSEC));
    expect(mistakeOf(found)).toBe('unusable_secret');
    expect(JSON.stringify(found)).not.toContain('whsec_!');
  });
});

describe('mistakes with the signature', () => {
  it.each(['github', 'shopify', 'stripe', 'discord', 'slack'])(
    'hex instead of base64, and the reverse, for %s',
    (name) => {
      const scheme = of(name);
      const encoding = scheme.encoding === 'hex' ? 'base64' : 'hex';
      const { verifying, signing } = makeSecrets(scheme);
      expect(mistakeOf(diagnose(scheme, verifying, send({ ...scheme, encoding }, signing)))).toBe('signature_encoding');
    },
  );

  it('uppercase hex, and base64 for URLs without padding', () => {
    const upper = headersOf(send(of('vercel'), SECRET), (value) => value.toUpperCase());
    expect(mistakeOf(diagnose(of('vercel'), SECRET, upper))).toBe('signature_alphabet');
    const forUrls = headersOf(send(of('shopify'), SECRET), (value) =>
      value.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
    );
    expect(mistakeOf(diagnose(of('shopify'), SECRET, forUrls))).toBe('signature_alphabet');
  });

  it('a missing prefix, or an unexpected one', () => {
    const bare = headersOf(send(of('github'), SECRET), (value) => value.replace('sha256=', ''));
    expect(diagnose(of('github'), SECRET, bare)).toMatchObject({
      mistake: 'signature_prefix',
      sentence: expect.stringContaining('the prefix `sha256=` is missing'),
    });
    const prefixed = headersOf(send(of('gitea'), SECRET), (value) => (value === 'id-1' ? value : `sha256=${value}`));
    expect(mistakeOf(diagnose(of('gitea'), SECRET, prefixed))).toBe('signature_prefix');
  });

  it('another hash', () => {
    const keys = [{ ...of('github').keys[0]!, algorithm: { kind: 'hmac', hash: 'sha512' } as const }];
    expect(mistakeOf(diagnose(of('github'), SECRET, send({ ...of('github'), keys }, SECRET)))).toBe(
      'signature_algorithm',
    );
  });

  it.each(['stripe', 'slack', 'standard_webhooks', 'zoom'])('a signature of only the body for %s', (name) => {
    const { verifying, signing } = makeSecrets(of(name));
    expect(mistakeOf(diagnose(of(name), verifying, send({ ...of(name), content: [BODY] }, signing)))).toBe(
      'signed_content',
    );
  });

  it.each(['square', 'twilio', 'hubspot_v3'])('another form of the URL for %s', (name) => {
    const scheme = findScheme(name)!;
    const sent = send(scheme, SECRET, BODY_TEXT, NOW_MS, 'http://hooks.example.com/webhooks/w/wh_0');
    const publicUrl = sent.query === '' ? URL : `${URL}?${sent.query}`;
    expect(mistakeOf(diagnose(scheme, SECRET, sent, { publicUrl }))).toBe('public_url');
  });

  it.each([
    ['the word twice', 'token_prefix', { Authorization: `Bearer Bearer ${SECRET}` }],
    ['quotes', 'token_prefix', { Authorization: `Bearer "${SECRET}"` }],
    ['the brackets of an example', 'token_prefix', { Authorization: `Bearer <${SECRET}>` }],
    ['a line break that was not interpreted', 'token_prefix', { Authorization: `Bearer ${SECRET}\\n` }],
    ['a password', 'token_prefix', { Authorization: `Basic ${btoa(`ci:${SECRET}`)}` }],
    ['a user', 'token_prefix', { Authorization: `Basic ${btoa(`${SECRET}:`)}` }],
    ['another header', 'token_header', { 'X-Api-Key': SECRET }],
  ])('a token with %s', (_what, mistake, headers) => {
    expect(mistakeOf(diagnose(BEARER, SECRET, { headers }))).toBe(mistake);
  });

  it('a token with its scheme before it, and without', () => {
    expect(mistakeOf(diagnose(BEARER, SECRET, { headers: { Authorization: SECRET } }))).toBe('token_prefix');
    const gitlab = { headers: { 'X-Gitlab-Token': `Bearer ${SECRET}` } };
    expect(mistakeOf(diagnose(findScheme('gitlab')!, SECRET, gitlab))).toBe('token_prefix');
    expect(mistakeOf(diagnose(findScheme('okta')!, SECRET, { headers: { Authorization: `Bearer ${SECRET}` } }))).toBe(
      'token_prefix',
    );
  });
});

describe('an Authorization header of another form, with another value than the secret', () => {
  const TOKEN_FORM = '`Authorization: Bearer` and the token';
  const BASIC_FORM = '`Authorization: Basic` and the base64 of `user:password`';
  it.each([
    ['token', 'Basic abc', '`Authorization: Basic` with a value that is not base64', TOKEN_FORM],
    ['token', `Basic ${btoa('ci:other')}`, '`Authorization: Basic` with user and password', TOKEN_FORM],
    ['token', 'Token abc', '`Authorization: Token`', TOKEN_FORM],
    ['token', 'Bearerabc', '`Authorization: Bearer` without a space after `Bearer`', TOKEN_FORM],
    ['token', 'Basic', '`Authorization: Basic` without a value', TOKEN_FORM],
    ['token', 'hunter2', '`Authorization` without `Bearer` or `Basic`', TOKEN_FORM],
    ['azure_devops', 'Bearer abc', '`Authorization: Bearer`', BASIC_FORM],
    [
      'azure_devops',
      `Basic ${btoa('other').replace('=', '')}`,
      '`Authorization: Basic` with a value that is not base64',
      BASIC_FORM,
    ],
    ['alertmanager', 'Digest abc', '`Authorization: Digest`', `${BASIC_FORM} or ${TOKEN_FORM}`],
  ])('under %s, %j is compared with the expected form', (name, authorization, found, expected) => {
    const scheme = name === 'token' ? BEARER : findScheme(name!)!;
    expect(diagnose(scheme, SECRET, { headers: { Authorization: authorization! } })).toEqual({
      ok: true,
      mistake: 'malformed_credential',
      sentence: `The request has ${found}, but the webhook expects ${expected}: enter the secret at the sender again, in that form.`,
    });
  });
});

describe('mistakes with the body', () => {
  describe('a compressed body whose signature covers the text', () => {
    const { webhook, headers, plain } = JSON.parse(
      readFileSync('test/vectors/cases/gzip-signed-plain.json', 'utf8'),
    ) as { webhook: { signatureScheme: string }; headers: Record<string, string>; plain: string };
    const scheme = of(webhook.signatureScheme);
    const sendCompressed = (coding: string | null, body: Uint8Array, signed: string | Uint8Array = plain): Sent => {
      const { 'Content-Encoding': _, ...others } = { ...send(scheme, SECRET, signed).headers, ...headers };
      return { headers: coding === null ? others : { ...others, 'Content-Encoding': coding }, body };
    };

    it.each([
      ['gzip', gzipSync(plain)],
      ['GZIP', gzipSync(plain)],
      ['br', brotliCompressSync(plain)],
      ['deflate', deflateSync(plain)],
      ['deflate', deflateRawSync(plain)],
      ['zstd', zstdCompressSync(plain)],
      // A proxy removed the header.
      [null, gzipSync(plain)],
    ])('is found for %s', (coding, body) => {
      const found = diagnose(scheme, SECRET, sendCompressed(coding, body));
      expect(found).toMatchObject({
        mistake: 'body_compressed',
        sentence: `The body is compressed with ${coding?.toLowerCase() ?? 'gzip'}, and the signature fits the uncompressed text: switch compression off at the sender or the proxy.`,
      });
    });

    it('is not found for another secret or a damaged body', () => {
      const other = diagnose(scheme, 'another secret of 20 bytes', sendCompressed('gzip', gzipSync(plain)));
      expect(mistakeOf(other)).not.toBe('body_compressed');
      const damaged = diagnose(scheme, SECRET, sendCompressed('gzip', gzipSync(plain).subarray(0, 20)));
      expect(mistakeOf(damaged)).not.toBe('body_compressed');
    });

    it('stops at 8 MiB of a body that would become 1 GiB', { tags: 'full' }, () => {
      const part = gzipSync(Buffer.alloc(64 * 1024 * 1024));
      const bomb = Buffer.concat(Array.from({ length: 16 }, () => part));
      expect(decompress({ get: () => 'gzip' }, bomb)).toEqual({ coding: 'gzip', body: null });
      expect(measureCpuMs(() => decompress({ get: () => 'gzip' }, bomb))).toBeLessThan(500);
    });

    it.each([
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['zstd', zstdCompressSync],
    ])('is reported as too large to check for %s if the text has more than 8 MiB', (coding, compress) => {
      const body = compress(Buffer.alloc(8 * 1024 * 1024 + 1, 0x20));
      expect(diagnose(scheme, SECRET, sendCompressed(coding, body))).toEqual({
        ok: true,
        mistake: 'body_compressed_too_large',
        sentence: `The body is compressed with ${coding}, and larger than 8.0 MiB when uncompressed, so the signature was not checked against the uncompressed text: switch compression off at the sender or the proxy, and send a small body.`,
      });
    });
  });

  it.each(['github', 'stripe', 'shopify', 'netlify', 'discord'])('a line break at its end for %s', (name) => {
    const scheme = findScheme(name)!;
    const { verifying, signing } = makeSecrets(scheme);
    const [without, within] = [BODY_TEXT, `${BODY_TEXT}\n`];
    for (const [signed, arrived] of [
      [without, within],
      [within, without],
    ] as const) {
      const found = diagnose(scheme, verifying, { ...send(scheme, signing, signed), body: arrived });
      expect(mistakeOf(found)).toBe('body_newline');
    }
  });

  it('changed line endings', () => {
    const sent = send(of('github'), SECRET, '{\r\n"a": 1\r\n}');
    expect(mistakeOf(diagnose(of('github'), SECRET, { ...sent, body: '{\n"a": 1\n}' }))).toBe('body_line_endings');
  });

  it.each([
    ['with blanks', '{"b": "a/b", "a": {"ä": 1}}'],
    ["as Python's json.dumps", '{"b": "a/b", "a": {"\\u00e4": 1}}'],
    ["as PHP's json_encode", '{"b":"a\\/b","a":{"\\u00e4":1}}'],
    ['indented', JSON.stringify(JSON.parse(BODY_TEXT), null, 2)],
    ['with sorted keys', '{"a":{"ä":1},"b":"a/b"}'],
  ])('JSON that was signed %s', (_, signed) => {
    const sent = { ...send(of('github'), SECRET, signed), body: BODY_TEXT };
    expect(mistakeOf(diagnose(of('github'), SECRET, sent))).toBe('body_reserialised');
    const pretty = { ...send(of('github'), SECRET, BODY_TEXT), body: JSON.stringify(JSON.parse(BODY_TEXT), null, 3) };
    expect(mistakeOf(diagnose(of('github'), SECRET, pretty))).toBe('body_reserialised');
  });
});

describe('mistakes with scheme and clock', () => {
  it.each([
    ['github', 'gitea'],
    ['stripe', 'github'],
    ['gitlab', 'gitlab_signing'],
    ['vercel', 'gitlab'],
  ])('a definition that names %s for a sender of %s', (said, real) => {
    const { verifying, signing } = makeSecrets(findScheme(real)!);
    const found = diagnose(findScheme(said)!, verifying, send(findScheme(real)!, signing));
    expect(found).toMatchObject({
      mistake: 'wrong_scheme',
      sentence: expect.stringContaining(`signatureScheme: ${real}`),
    });
  });

  it('a request of another sender with another secret', () => {
    const found = diagnose(of('slack'), SECRET, send(of('stripe'), 'another'));
    expect(found).toMatchObject({
      mistake: 'other_sender',
      sentence: expect.stringContaining('`Stripe-Signature` of the scheme `stripe`'),
    });
    expect(mistakeOf(diagnose(of('slack'), SECRET, send(of('slack'), 'another')))).toBe('unexplained');
    expect(mistakeOf(diagnose(of('slack'), SECRET, { headers: { Authorization: 'Bearer x' } }))).toBe(
      'missing_credential',
    );
  });

  it('a scheme for a sender with a bearer token, and the reverse', () => {
    expect(diagnose(of('github'), SECRET, send(BEARER, SECRET))).toMatchObject({
      sentence: expect.stringContaining('write `authMode: token`'),
    });
    expect(mistakeOf(diagnose(BEARER, SECRET, send(of('github'), SECRET)))).toBe('wrong_scheme');
  });

  it.each(['stripe', 'slack', 'standard_webhooks', 'linear', 'zendesk'])('a wrong clock for %s', (name) => {
    const { verifying, signing } = makeSecrets(of(name));
    for (const skewMs of [-36_000_000, 36_000_000]) {
      const found = diagnose(of(name), verifying, send(of(name), signing, BODY_TEXT, NOW_MS + skewMs));
      expect(mistakeOf(found)).toBe('clock');
      expect(found).toMatchObject({ sentence: expect.stringContaining('by 36000 seconds') });
    }
  });

  it('a timestamp in milliseconds under a scheme with seconds', () => {
    const timestamp = { ...of('slack').timestamp!, unit: 'milliseconds' as const };
    expect(mistakeOf(diagnose(of('slack'), SECRET, send({ ...of('slack'), timestamp }, SECRET)))).toBe(
      'timestamp_unit',
    );
  });

  it('another mistake is named even if the request is too old now', () => {
    const sent = send({ ...of('slack'), encoding: 'base64' }, SECRET, BODY_TEXT, NOW_MS - 86_400_000);
    expect(mistakeOf(diagnose(of('slack'), SECRET, sent))).toBe('signature_encoding');
  });
});

describe('mistakes with Twilio', () => {
  const twilio = findScheme('twilio')!;
  const sent = send(twilio, SECRET);
  const signed = `${URL}?${sent.query}`;
  const headersOfUrl = (url: string) => ({
    'X-Twilio-Signature': createHmac('sha1', SECRET).update(url).digest('base64'),
  });

  it.each([
    ['another host, as the request names it', 'https://shop.example.net/webhooks/w/wh_0', { Host: 'shop.example.net' }],
    [
      'a host that a proxy forwards',
      'https://a.example/webhooks/w/wh_0',
      { 'X-Forwarded-Host': 'a.example, b.example' },
    ],
    ['http', 'http://hooks.example.com/webhooks/w/wh_0', {}],
    ['a slash at its end', `${URL}/`, {}],
    ['a port', 'https://hooks.example.com:8443/webhooks/w/wh_0', { Host: 'hooks.example.com:8443' }],
  ])('%s in the URL', (_what, url, more) => {
    const { headers, query } = send(twilio, SECRET, BODY_TEXT, NOW_MS, url);
    const found = diagnose(twilio, SECRET, { headers: { ...headers, ...more } }, { publicUrl: `${URL}?${query}` });
    expect(mistakeOf(found)).toBe('public_url');
  });

  it('a query that was removed in transit', () => {
    expect(mistakeOf(diagnose(twilio, SECRET, sent))).toBe('twilio_query');
  });

  it('a body that was changed in transit, or that nothing covers', () => {
    const changed = diagnose(twilio, SECRET, { ...sent, body: '{"other":1}' }, { publicUrl: signed });
    expect(changed).toMatchObject({
      mistake: 'twilio_body',
      sentence: expect.stringContaining('is not the hash of the body'),
    });
    const bare = diagnose(twilio, SECRET, { headers: headersOfUrl(URL) });
    expect(bare).toMatchObject({
      mistake: 'twilio_body',
      sentence: expect.stringContaining('nothing covers the body'),
    });
  });

  it('a form without its Content-Type', () => {
    const form = { headers: headersOfUrl(`${URL}a1b2`), body: 'b=2&a=1' };
    expect(mistakeOf(diagnose(twilio, SECRET, form))).toBe('twilio_form');
  });

  it('but not with another auth token', () => {
    expect(mistakeOf(diagnose(twilio, 'another', sent, { publicUrl: signed }))).toBe('unexplained');
  });
});

describe('mistakes with Netlify', () => {
  const netlify = findScheme('netlify')!;
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sha256 = createHash('sha256').update(BODY_TEXT).digest('hex');
  function jws(alg: string, claims: object, secret = SECRET) {
    const content = `${encode({ alg })}.${encode(claims)}`;
    const signature = createHmac(alg.replace('HS', 'sha'), secret).update(content).digest('base64url');
    return { headers: { 'X-Webhook-Signature': `${content}.${signature}` } };
  }

  it.each([
    ['another algorithm', 'netlify_algorithm', 'HS512', { iss: 'netlify', sha256 }],
    ['another issuer', 'netlify_claims', 'HS256', { iss: 'build', sha256 }],
    ['another body', 'netlify_claims', 'HS256', { iss: 'netlify', sha256: sha256.replace(/./g, '0') }],
    ['a hash in uppercase', 'netlify_claims', 'HS256', { iss: 'netlify', sha256: sha256.toUpperCase() }],
  ])('%s', (_what, mistake, alg, claims) => {
    expect(mistakeOf(diagnose(netlify, SECRET, jws(alg, claims)))).toBe(mistake);
    expect(mistakeOf(diagnose(netlify, SECRET, jws(alg, claims, 'another')))).not.toBe(mistake);
  });
});

describe('mistakes with SNS', () => {
  const sns = findScheme('sns')!;
  const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms';
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const MESSAGE = {
    Type: 'Notification',
    MessageId: 'm-1',
    TopicArn: TOPIC,
    Subject: 'disk',
    Message: '{"a": 1}\n',
    Timestamp: '2027-01-15T08:00:00.000Z',
    SignatureVersion: '2',
    SigningCertURL: 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0a.pem',
  };

  function sign(message: typeof MESSAGE) {
    const names = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const;
    const content = names.map((name) => `${name}\n${message[name]}\n`).join('');
    const digest = message.SignatureVersion === '1' ? 'sha1' : 'sha256';
    return { ...message, Signature: createSignature(digest, Buffer.from(content), privateKey).toString('base64') };
  }
  const check = (message: object, more: Partial<RequestToDiagnose> = {}, headers = {}, secret = TOPIC) =>
    diagnose(sns, secret, { headers, body: JSON.stringify(message) }, more);
  const good = sign(MESSAGE);

  it('are none in a valid message, as far as it can be checked without the certificate', () => {
    expect(mistakeOf(check(good))).toBe('unexplained');
    expect(mistakeOf(check(good, { signingKey: publicKey }))).toBe('none');
    expect(mistakeOf(check({ ...good, Message: 'x' }, { signingKey: publicKey }))).toBe('unexplained');
  });

  it.each([
    ['raw delivery', { a: 1 }, { 'x-amz-sns-rawdelivery': 'true' }],
    ['a bare message', { a: 1 }, { 'x-amz-sns-message-id': 'm-1' }],
  ])('%s', (_what, message, headers) => {
    expect(mistakeOf(check(message, {}, headers))).toBe('sns_raw_delivery');
  });

  it.each([
    ['no type', { ...good, Type: undefined }, '`Type`'],
    ['an unknown type', { ...good, Type: 'Other' }, '`Type`'],
    ['no certificate', { ...good, SigningCertURL: undefined }, '`SigningCertURL`'],
    ['another version', { ...good, SignatureVersion: '3' }, 'neither 1 nor 2'],
    ['a list', [good], 'not an SNS message'],
  ])('a message with %s', (_what, message, words) => {
    expect(check(message)).toMatchObject({ mistake: 'sns_message', sentence: expect.stringContaining(words) });
  });

  it.each([
    ['region', TOPIC.replace('central', 'west')],
    ['account', TOPIC.replace('123456789012', '210987654321')],
    ['name', `${TOPIC}.fifo`],
    ['region and name', TOPIC.replace('central', 'west').replace('alarms', 'x')],
  ])('a topic of another %s', (words, topic) => {
    const found = check({ ...good, TopicArn: topic });
    expect(found).toMatchObject({ mistake: 'sns_topic', sentence: expect.stringContaining(`(another ${words})`) });
    const secrets = [
      { version: 2, text: TOPIC },
      { version: 1, text: topic },
    ] as const;
    expect(check({ ...good, TopicArn: topic }, { secrets })).toMatchObject({
      sentence: expect.stringContaining('version 1'),
    });
  });

  it('a certificate URL that is not of SNS', () => {
    for (const [url, words] of [
      [MESSAGE.SigningCertURL.replace('https', 'http'), 'begins with `http:`'],
      ['https://localhost:4566/cert.pem', 'certificate is not at'],
    ] as const) {
      expect(check({ ...good, SigningCertURL: url })).toMatchObject({
        mistake: 'sns_certificate_url',
        sentence: expect.stringContaining(words),
      });
    }
  });

  it('a changed value, which the certificate shows', () => {
    for (const change of [{ Message: '{"a": 1}' }, { Message: MESSAGE.Message.replace('\n', '\r\n') }]) {
      expect(mistakeOf(check({ ...good, ...change }, { signingKey: publicKey }))).toBe('sns_changed_value');
    }
    const compact = sign({ ...MESSAGE, Message: '{"a":1}' });
    expect(mistakeOf(check({ ...compact, Message: '{"a": 1}' }, { signingKey: publicKey }))).toBe('sns_changed_value');
    expect(mistakeOf(check({ ...good, SignatureVersion: '1' }, { signingKey: publicKey }))).toBe(
      'sns_signature_version',
    );
  });

  it('a secret that is not an ARN, and a sender that is not SNS', () => {
    expect(mistakeOf(check(good, {}, {}, `${TOPIC}x y`))).toBe('unusable_secret');
    expect(mistakeOf(diagnose(sns, SECRET, send(of('github'), SECRET)))).toBe('wrong_scheme');
  });
});

describe('a request that nothing explains', () => {
  it.each([
    ['nested deeply', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['of line breaks', `${'\r\n'.repeat(100_000)}x`],
    ['of one long word', `"${'ä/'.repeat(80_000)}"`],
  ])('is diagnosed within the time limit with a body %s', (_, body) => {
    const sent = { ...send(of('github'), 'another', body), body };
    const cpuMs = measureCpuMs(() => expect(diagnose(of('github'), SECRET, sent).ok).toBe(false));
    expect(cpuMs).toBeLessThan(5_000);
  });

  it('lists what was tried, and nothing else', () => {
    const listTried = (secrets: RequestToDiagnose['secrets']) => {
      const found = diagnose(of('github'), SECRET, send(of('github'), 'another'), { secrets });
      return found.ok ? [] : found.tried;
    };
    const checked = { version: 2, text: SECRET };
    const alone = listTried([checked]);
    expect(alone).toContain("a line break at the end of the sender's secret");
    // GitHub signs no timestamp, no URL and no token.
    for (const absent of ['timestamp', 'URL,', 'token', 'versions of the secret']) {
      expect(alone.filter((tried) => tried.includes(absent))).toEqual([]);
    }
    expect(listTried([checked, { version: 1, text: 'older' }])).toEqual(['older versions of the secret', ...alone]);
    expect(listTried([checked, { version: 3, text: 'newer' }])).toEqual(['newer versions of the secret', ...alone]);
  });

  it('is explained by the reason if the reason shows the cause', () => {
    expect(diagnose(of('github'), SECRET, { headers: {} })).toMatchObject({
      mistake: 'missing_credential',
      sentence: expect.stringContaining('`X-Hub-Signature-256`'),
    });
  });
});

describe('sentences', () => {
  it('are one sentence each and contain no part of a secret', () => {
    const request = {
      secret: { version: 2, text: WHSEC },
      otherSecrets: [{ version: 1, text: SECRET }],
      detail: null,
      headers: { get: () => undefined },
      body: Buffer.from('{"a":\r\n1}\r\n'),
      publicUrl: `${URL}?x=1`,
      signingKey: null,
    };
    for (const scheme of [BEARER, ...SCHEMES]) {
      for (const mistake of MISTAKES) {
        for (const { sentence } of mistake.vary({ ...request, scheme })) {
          expect(sentence).toMatch(/^[A-Z].*\.$/s);
          expect(sentence).not.toMatch(/\.\s+[A-Z]|\n/);
          for (const text of [WHSEC, WHSEC.slice(6), SECRET]) expect(sentence).not.toContain(text);
        }
      }
    }
  });

  it('exist for every reason except the two that do not show the cause', () => {
    const open = Object.keys(AUTH_REASONS).filter((reason) => diagnoseReason(reason, null, null) === null);
    expect(open).toEqual(['bad_credential', 'bad_signature']);
    expect(diagnoseReason('summed_up', null, null)).toBeNull();
  });

  it('name ids that are unique', () => {
    expect(new Set(MISTAKES.map(({ id }) => id)).size).toBe(MISTAKES.length);
  });
});
