import type { Scheme } from '../scheme.ts';
import { listCredentialPlaces, SCHEMES } from './schemes.ts';

/** Headers that carry a credential independently of the scheme. */
const COMMON_HEADERS = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie'];

/**
 * Headers that carry a credential or its timestamp, by lowercase name: those of HTTP, and those of every scheme of the
 * table. None of them may serve as a delivery ID.
 */
export const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  ...COMMON_HEADERS,
  ...SCHEMES.flatMap(listHeaders).map((name) => name.toLowerCase()),
]);

function listHeaders(scheme: Scheme): string[] {
  const places = listCredentialPlaces(scheme).filter((place) => !place.startsWith('body '));
  const timestamps = scheme.family === 'signature' ? scheme.headers.flatMap(({ timestamp }) => timestamp ?? []) : [];
  return [...places, ...timestamps, ...(scheme.otherCredentialHeaders ?? [])];
}

/** Does a header of this name, in any letter case, carry a credential? */
export function isCredentialHeader(name: string): boolean {
  const lowercase = name.toLowerCase();
  // DocuSign numbers its headers, one for each key, and its row lists the first ones only.
  return CREDENTIAL_HEADERS.has(lowercase) || CREDENTIAL_HEADERS.has(lowercase.replace(/-[0-9]+$/, '-1'));
}

/** Words of which a header name with a credential usually has one. */
const CREDENTIAL_WORDS =
  /(^|[-_.])(auth|authorization|bearer|cookie|credentials?|jwt|passw(or)?d|secret|session|signature|tokens?|api-?key)($|[-_.])/i;

/** Does a header of this name carry a credential, or probably one? The value of such a header is never stored. */
export function mayCarryCredential(name: string): boolean {
  return isCredentialHeader(name) || CREDENTIAL_WORDS.test(name);
}
