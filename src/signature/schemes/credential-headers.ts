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
