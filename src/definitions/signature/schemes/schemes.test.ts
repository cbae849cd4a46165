import { describe, expect, it } from 'vitest';
import { CREDENTIAL_HEADERS, isCredentialHeader } from './credential-headers.ts';
import { header } from './parts.ts';
import { findScheme, listCredentialPlaces, listIdentities, SCHEME_NAMES, SCHEMES } from './schemes.ts';

const SIGNATURES = SCHEMES.filter((scheme) => scheme.family === 'signature');

describe('the table of schemes', () => {
  it('is in the order of names, which are unique', () => {
    expect(SCHEME_NAMES).toEqual([...new Set(SCHEME_NAMES)].sort());
  });

  it('finds rows only by their exact name, and no inherited property', () => {
    expect(findScheme('github')?.title).toBe('GitHub');
    for (const name of ['GitHub', 'github ', '', '__proto__', 'constructor', 'toString']) {
      expect(findScheme(name), name).toBeUndefined();
    }
  });

  it.each(SIGNATURES)('$name: every header that its signed content needs is required or checked', (scheme) => {
    const parts = scheme.content.map((part) => part.part);
    const { timestamp } = scheme;
    if (parts.includes('timestamp')) expect(timestamp?.signed).toBe(true);
    if (timestamp?.signed && timestamp.from.place !== 'json') expect(parts).toContain('timestamp');
    for (const family of scheme.headers) {
      if (parts.includes('identity')) expect([header(family.required[0]!)]).toContainEqual(family.identity);
      if (timestamp?.from.place === 'header') expect(family.timestamp).not.toBeNull();
    }
  });

  it.each(SIGNATURES)('$name: has labels exactly if it has a label separator', (scheme) => {
    for (const key of scheme.keys) expect(key.label === null).toBe(scheme.labelSeparator === null);
  });

  it.each(SCHEMES)('$name: its documentation is a web page', ({ documentation }) => {
    expect(new URL(documentation).protocol).toBe('https:');
  });
});

describe('headers that carry a credential', () => {
  it('are listed in lowercase and include those of every scheme', () => {
    expect([...CREDENTIAL_HEADERS].filter((name) => name !== name.toLowerCase())).toEqual([]);
    const stamps = SIGNATURES.flatMap((scheme) => scheme.headers.flatMap((family) => family.timestamp ?? []));
    const places = SCHEMES.flatMap(listCredentialPlaces).filter((place) => !place.startsWith('body '));
    for (const name of [...places, ...stamps]) expect(isCredentialHeader(name), name).toBe(true);
  });

  it('are recognized in any letter case, with any number for DocuSign', () => {
    for (const name of [
      'AUTHORIZATION',
      'Cookie',
      'X-Hub-Signature-256',
      'X-DocuSign-Signature-1',
      'x-docusign-signature-12',
      'x-docusign-signature-4711',
      'Proxy-Authorization',
      'Set-Cookie',
    ]) {
      expect(isCredentialHeader(name), name).toBe(true);
    }
  });

  it('include those of providers that are not checked', () => {
    const headers = ['X-Hook-Secret', 'X-Gogs-Signature', 'Sentry-App-Signature', 'Linear-Timestamp'];
    for (const name of [...headers, 'X-HubSpot-Signature']) expect(isCredentialHeader(name), name).toBe(true);
  });

  it('do not include headers that identify a delivery', () => {
    const identities = SCHEMES.flatMap(listIdentities).filter((place) => !place.startsWith('body '));
    for (const name of [...identities, 'X-Service-Delivery-Id', 'x-docusign-signature-']) {
      expect(isCredentialHeader(name), name).toBe(false);
    }
  });
});
