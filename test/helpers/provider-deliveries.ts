import { expect } from 'vitest';
import type { Scheme } from '../../src/definitions/signature/scheme.ts';
import { findScheme } from '../../src/definitions/signature/schemes/schemes.ts';
import { signRequest } from '../../src/definitions/signature/sign/sign-request.ts';
import { compileVerifier } from '../../src/definitions/signature/verify/compile-verifier.ts';
import type { SchemeSecrets } from './scheme-secrets.ts';
import { toSignedRequest, WEBHOOK_URL } from './signed-request.ts';

/** A delivery in the form that the libraries of providers expect. Header names are lowercase. */
export interface ProviderDelivery {
  headers: Readonly<Record<string, string>>;
  body: string;
  url: string;
}

/** The result of a provider's library: `false` or an error is a rejection. */
export type LibraryResult = (delivery: ProviderDelivery) => unknown;

/** Bodies that a library would change if it parsed and printed them. */
export const OBJECTS = [
  '{"type":"pallet.scanned"}',
  '{"from":"Łódź 東京 🎈 \u2028","url":"https://a/b?c=d&e=%20+"}',
  '{ "ratio": 2.0,\r\n "u": "\\u00fc" }\n',
];

export const PAYLOADS = [...OBJECTS, '[]'];

export function schemeOf(name: string): Scheme {
  const scheme = findScheme(name);
  if (scheme === undefined) throw new Error(`no scheme ${name}`);
  return scheme;
}

/** The delivery that `dockbell send` would post now, because the libraries use the machine's clock. */
export function signByOurs(name: string, secret: string, payload: string, url: string = WEBHOOK_URL): ProviderDelivery {
  const delivery = { url, body: Buffer.from(payload), nowMs: Date.now(), deliveryId: 'evt_1', newId: () => 'new-1' };
  const { headers, body, query } = signRequest(schemeOf(name), secret, delivery);
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value])),
    body: Buffer.from(body).toString('utf8'),
    url: query === '' ? url : `${url}?${query}`,
  };
}

/** Our verifier accepts what the provider's library signed, and rejects it with a changed byte of the body. */
export async function expectOursToAccept(
  name: string,
  secret: string,
  delivery: Omit<ProviderDelivery, 'url'> & { url?: string },
): Promise<void> {
  const given = { url: WEBHOOK_URL, ...delivery };
  expect(await isAcceptedByOurs(name, secret, given), 'ours, as it is').toBe(true);
  const changed = { ...given, body: changeByte(given.body) };
  expect(await isAcceptedByOurs(name, secret, changed), 'ours, with a byte changed').toBe(false);
}

/** The provider's library and our verifier accept what we sign, and reject it with a changed byte. */
export async function expectBothToAccept(
  name: string,
  { signing, verifying }: SchemeSecrets,
  payload: string,
  theirs: LibraryResult,
  url?: string,
): Promise<void> {
  const delivery = signByOurs(name, signing, payload, url);
  expect(await isAcceptedBy(theirs, delivery), 'theirs, as it is').toBe(true);
  const changed = { ...delivery, body: changeByte(delivery.body) };
  expect(await isAcceptedBy(theirs, changed), 'theirs, with a byte changed').toBe(false);
  await expectOursToAccept(name, verifying, delivery);
}

async function isAcceptedByOurs(name: string, secret: string, delivery: ProviderDelivery): Promise<boolean> {
  const compiled = compileVerifier(schemeOf(name), secret);
  if (!compiled.ok) throw new Error(compiled.message);
  const { headers, body, url } = delivery;
  return (await compiled.verify(toSignedRequest({ headers, body: Buffer.from(body), url, nowMs: Date.now() }))).ok;
}

async function isAcceptedBy(theirs: LibraryResult, delivery: ProviderDelivery): Promise<boolean> {
  try {
    return (await theirs(delivery)) !== false;
  } catch {
    return false;
  }
}

/** Replaces a letter with another one. The body stays valid JSON, so only the signature is wrong. */
function changeByte(body: string): string {
  const at = body.search(/[a-y]/);
  if (at === -1) return `${body.slice(0, -1)}}`;
  return body.slice(0, at) + String.fromCharCode(body.charCodeAt(at) + 1) + body.slice(at + 1);
}
