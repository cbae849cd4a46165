import { createHash, createHmac } from 'node:crypto';
import type { SignedDelivery, UnsignedDelivery } from '../outgoing-delivery.ts';
import type { RejectedRequest, RequestVariant } from '../rejected-request.ts';
import type { SpecialScheme } from '../scheme.ts';
import { UNDOCUMENTED } from '../schemes/parts.ts';
import { areEqualTexts } from '../tokens/token.ts';
import { reject, type SignatureResult, type SignedRequest } from '../verification.ts';
import { FORM_TYPE } from '../verify/request-parts.ts';

const HEADER = 'x-twilio-signature';
const BODY_HASH = 'bodySHA256';

/** HMAC-SHA1 in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{27}=$/;

/** Twilio: an HMAC of the URL and of the form fields, or of the URL with the hash of the body in its query. */
export const TWILIO: SpecialScheme = {
  family: 'special',
  name: 'twilio',
  title: 'Twilio',
  signature: { in: 'header', name: 'X-Twilio-Signature' },
  identity: null,
  described: { digest: 'HMAC-SHA1', form: 'base64', content: 'url and form fields or hash of the body' },
  whenSecretIsIssued: 'app',
  canGenerateSecret: false,
  documentation: 'https://www.twilio.com/docs/usage/webhooks/webhooks-security',
  rejectedSecrets: [],
  retries: UNDOCUMENTED,
  secretHint: 'Paste the auth token of the account exactly as the Twilio console shows it.',
  findSecretFault: () => null,
  compile: compileVerifier,
  sign: signDelivery,
  signsUrl: true,
  needsCertificate: false,
  mistakes: [
    { id: 'twilio_query', tried: 'the URL with its query restored', vary: varyQuery },
    { id: 'twilio_form', tried: 'the body as a form, regardless of its `Content-Type`', vary: varyForm },
    { id: 'twilio_body', tried: 'a signature of only the URL', vary: varyBody },
  ],
};

/**
 * Verifies the URL with the sorted form fields. If the query contains the hash of the body, the URL and that hash count
 * instead. Like Twilio's own library, accepts the URL with and without its standard port.
 */
function compileVerifier(secretText: string): (request: SignedRequest) => SignatureResult {
  return (request) => {
    const presented = request.headers.get(HEADER) ?? '';
    if (presented === '') return reject('missing_credential');
    if (!SIGNATURE.test(presented)) return reject('malformed_signature', 'not base64 of 20 bytes');
    const url = request.publicUrl();
    const covered = readCovered(request, url);
    if (!covered.ok) return covered;
    const matched = listSpellings(url).map((one) => areEqualTexts(presented, sign(secretText, one + covered.fields)));
    return matched.includes(true)
      ? { ok: true, family: 'twilio', identity: null }
      : reject('bad_signature', 'the auth token, the URL or the body differs');
  };
}

/** Is this a signature of the URL alone? It proves nothing about the body. */
function signsUrlAlone(secretText: string, presented: string, url: string): boolean {
  return listSpellings(url).some((one) => areEqualTexts(presented, sign(secretText, one)));
}

/** The hash of the body in the query of the URL; `null` if the query has none. */
function readBodyHash(url: string): string | null {
  const query = url.indexOf('?');
  return query === -1 ? null : new URLSearchParams(url.slice(query + 1)).get(BODY_HASH);
}

/** The URL with the hash of the body in its query. */
function withBodyHash(url: string, body: Uint8Array): string {
  return `${url}${url.includes('?') ? '&' : '?'}${BODY_HASH}=${hashBody(body)}`;
}

function readCovered(request: SignedRequest, url: string): { ok: true; fields: string } | ReturnType<typeof reject> {
  const claimed = readBodyHash(url);
  if (claimed !== null) {
    return areEqualTexts(claimed, hashBody(request.body)) ? { ok: true, fields: '' } : reject('bad_signature');
  }
  const type = request.headers.get('content-type') ?? '';
  if (request.body.length > 0 && !/^application\/x-www-form-urlencoded\b/i.test(type)) {
    return reject('missing_field', `no ${BODY_HASH} in the URL and no form in the body: nothing covers the body`);
  }
  return { ok: true, fields: joinFields(request.body) };
}

/** Every name and value in the order of names; the values of one name are sorted and deduplicated. */
function joinFields(body: Uint8Array): string {
  const fields = new URLSearchParams(Buffer.from(body).toString('utf8'));
  const names = [...new Set(fields.keys())].sort();
  return names.flatMap((name) => [...new Set(fields.getAll(name))].sort().map((value) => name + value)).join('');
}

const STANDARD_PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' };

/** The unchanged URL, and the URL with its standard port added or removed. */
function listSpellings(url: string): string[] {
  const match = /^(https?:)(\/\/[^/?#:]+)(?::(\d+))?(.*)$/is.exec(url);
  if (match === null) return [url];
  const [, protocol, host, port, rest] = match as unknown as [string, string, string, string | undefined, string];
  const standard = STANDARD_PORTS[protocol.toLowerCase()]!;
  if (port === undefined) return [url, `${protocol}${host}:${standard}${rest}`];
  return port === standard ? [url, `${protocol}${host}${rest}`] : [url];
}

/** The delivery as Twilio sends it: a form, or JSON whose hash is in the URL. */
function signDelivery(secretText: string, { url, body, headers: given = {} }: UnsignedDelivery): SignedDelivery {
  if (Object.values(given).includes(FORM_TYPE)) {
    return { headers: { 'X-Twilio-Signature': sign(secretText, url + joinFields(body)) }, body, query: '' };
  }
  const headers = { 'X-Twilio-Signature': sign(secretText, withBodyHash(url, body)) };
  return { headers, body, query: `${BODY_HASH}=${hashBody(body)}` };
}

function sign(secretText: string, content: string): string {
  return createHmac('sha1', secretText).update(content, 'utf8').digest('base64');
}

function hashBody(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

function* varyQuery({ publicUrl, body }: RejectedRequest): Iterable<RequestVariant> {
  if (publicUrl === null || readBodyHash(publicUrl) !== null) return;
  const sentence =
    'Twilio signed `bodySHA256` in the query of the URL, but the query did not arrive: check that no proxy or redirect removes it.';
  yield { publicUrl: withBodyHash(publicUrl, body), sentence };
}

function* varyForm({ headers }: RejectedRequest): Iterable<RequestVariant> {
  const sentence = `The body is the form that Twilio signed, but its \`Content-Type\` is not \`${FORM_TYPE}\`: check that no proxy changes that header.`;
  yield { headers: { get: (name) => (name === 'content-type' ? FORM_TYPE : headers.get(name)) }, sentence };
}

function* varyBody({ secret, headers, publicUrl }: RejectedRequest): Iterable<RequestVariant> {
  if (publicUrl === null) return;
  const presented = headers.get('x-twilio-signature') ?? '';
  if (!signsUrlAlone(secret.text, presented, publicUrl)) return;
  const sentence =
    readBodyHash(publicUrl) === null
      ? 'Twilio signed only the URL, so nothing covers the body: make Twilio send JSON, which `bodySHA256` in the query covers.'
      : 'The URL is signed correctly, but its `bodySHA256` is not the hash of the body: check that no proxy or function changes the body.';
  yield { isProven: true, sentence };
}
