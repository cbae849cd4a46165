import { createHash, createHmac } from 'node:crypto';
import { areEqualTexts } from '../tokens/token.ts';
import { reject, type SignatureResult, type SignedRequest } from '../verification.ts';

const HEADER = 'x-twilio-signature';
const BODY_HASH = 'bodySHA256';

/** HMAC-SHA1 in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{27}=$/;

/**
 * Verifies the URL with the sorted form fields, or, where the query holds the hash of the body, the URL alone and that
 * hash. Like Twilio's own library it takes the URL with and without its standard port.
 */
export function compileTwilioVerifier(secretText: string): (request: SignedRequest) => SignatureResult {
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

/** Is this a signature of the URL alone? For a diagnosis: it says nothing about the body. */
export function signsTwilioUrl(secretText: string, presented: string, url: string): boolean {
  return listSpellings(url).some((one) => areEqualTexts(presented, sign(secretText, one)));
}

/** What the query says the body hashes to; `null` where it says nothing. */
export function readBodyHash(url: string): string | null {
  const query = url.indexOf('?');
  return query === -1 ? null : new URLSearchParams(url.slice(query + 1)).get(BODY_HASH);
}

/** The URL with the hash of the body in its query. */
export function withBodyHash(url: string, body: Uint8Array): string {
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

/** Every name and value in the order of names; several values of one name sorted and without repeats. */
function joinFields(body: Uint8Array): string {
  const fields = new URLSearchParams(Buffer.from(body).toString('utf8'));
  const names = [...new Set(fields.keys())].sort();
  return names.flatMap((name) => [...new Set(fields.getAll(name))].sort().map((value) => name + value)).join('');
}

const STANDARD_PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' };

/** The URL as it is, and with its standard port put in or left out. */
function listSpellings(url: string): string[] {
  const match = /^(https?:)(\/\/[^/?#:]+)(?::(\d+))?(.*)$/is.exec(url);
  if (match === null) return [url];
  const [, protocol, host, port, rest] = match as unknown as [string, string, string, string | undefined, string];
  const standard = STANDARD_PORTS[protocol.toLowerCase()]!;
  if (port === undefined) return [url, `${protocol}${host}:${standard}${rest}`];
  return port === standard ? [url, `${protocol}${host}${rest}`] : [url];
}

/** Headers and URL that Twilio sends with a JSON body. */
export function signTwilio(
  secretText: string,
  url: string,
  body: Uint8Array,
): { headers: Record<string, string>; query: string } {
  const headers = { 'X-Twilio-Signature': sign(secretText, withBodyHash(url, body)) };
  return { headers, query: `${BODY_HASH}=${hashBody(body)}` };
}

function sign(secretText: string, content: string): string {
  return createHmac('sha1', secretText).update(content, 'utf8').digest('base64');
}

function hashBody(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}
