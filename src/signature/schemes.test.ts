import { describe, expect, it } from 'vitest';
import { CREDENTIAL_HEADERS, isCredentialHeader } from './credential-headers.ts';
import { findScheme, SCHEME_NAMES, SCHEMES } from './schemes.ts';

describe('the table of schemes', () => {
  it('is in the order of its names, each once', () => {
    expect(SCHEME_NAMES).toEqual([...new Set(SCHEME_NAMES)].sort());
  });

  it('finds rows by their exact name, and no inherited property', () => {
    expect(findScheme('github')?.title).toBe('GitHub');
    for (const name of ['GitHub', 'github ', '', '__proto__', 'constructor', 'toString']) {
      expect(findScheme(name), name).toBeUndefined();
    }
  });

  it.each(SCHEMES)('$name: every header that its signed content needs is required or checked', (scheme) => {
    const parts = scheme.content.map((part) => part.part);
    expect(parts.filter((part) => part === 'body')).toHaveLength(1);
    if (parts.includes('timestamp')) expect(scheme.timestamp?.signed).toBe(true);
    if (scheme.timestamp?.signed) expect(parts).toContain('timestamp');
    for (const family of scheme.headers) {
      if (parts.includes('identity')) expect(family.required).toContain(family.identity);
      if (scheme.timestamp?.from.place === 'header') expect(family.timestamp).not.toBeNull();
    }
  });

  it.each(SCHEMES)('$name: labels stand exactly where there is a separator for them', (scheme) => {
    for (const key of scheme.keys) expect(key.label === null).toBe(scheme.labelSeparator === null);
  });

  it.each(SCHEMES)('$name: the last form of its key fits any secret and can sign', (scheme) => {
    expect(scheme.keys.at(-1)).toMatchObject({ prefix: '', algorithm: { kind: 'hmac' } });
  });
});

describe('headers that carry a credential', () => {
  it('are listed in lowercase and include those of every scheme', () => {
    expect([...CREDENTIAL_HEADERS].filter((name) => name !== name.toLowerCase())).toEqual([]);
    for (const family of SCHEMES.flatMap((scheme) => scheme.headers)) {
      expect(isCredentialHeader(family.signature), family.signature).toBe(true);
      if (family.timestamp !== null) expect(isCredentialHeader(family.timestamp), family.timestamp).toBe(true);
    }
  });

  it('are known in any letter case, and DocuSign has any number of them', () => {
    for (const name of [
      'AUTHORIZATION',
      'Cookie',
      'X-Hub-Signature-256',
      'X-DocuSign-Signature-1',
      'x-docusign-signature-12',
    ]) {
      expect(isCredentialHeader(name), name).toBe(true);
    }
  });

  it('leave the headers alone that name a delivery', () => {
    const identities = SCHEMES.flatMap((scheme) => scheme.headers.map((family) => family.identity));
    for (const name of [
      ...identities.filter((one) => one !== null),
      'X-Service-Delivery-Id',
      'x-docusign-signature-',
    ]) {
      expect(isCredentialHeader(name), name).toBe(false);
    }
  });
});
