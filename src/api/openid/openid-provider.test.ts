import { describe, expect, it } from 'vitest';
import { readClaim } from './map-claims.ts';
import { requireSameIssuer } from './openid-provider.ts';

describe('the issuer that a provider names', () => {
  it.each([
    ['https://login.example.com', 'https://login.example.com/'],
    ['https://login.example.com/realms/team', 'https://login.example.com/realms/team'],
  ])('may be %s if %s is configured', (issuer, configured) => {
    expect(() => requireSameIssuer(issuer, new URL(configured))).not.toThrow();
  });

  it.each([
    ['https://login.microsoftonline.com/{tenantid}/v2.0', 'https://login.microsoftonline.com/common/v2.0'],
    ['https://login.microsoftonline.com/{tenantid}/v2.0', 'https://login.microsoftonline.com/organizations/v2.0'],
    ['https://sts.windows.net/833ced3d/', 'https://login.microsoftonline.com/833ced3d'],
    ['https://evil.example', 'https://login.example.com'],
    ['https://login.example.com/realms/team/', 'https://login.example.com/realms/team'],
    ['login.example.com', 'https://login.example.com'],
  ])('may not be %s if %s is configured', (issuer, configured) => {
    expect(() => requireSameIssuer(issuer, new URL(configured))).toThrow(issuer);
  });
});

describe('a claim', () => {
  it.each([
    ['groups', ['a']],
    ['realm_access.roles', ['b']],
    ['https://example.com/groups', ['c']],
    ['realm_access.none', undefined],
    ['groups.length', undefined],
    ['__proto__', undefined],
    ['constructor.name', undefined],
    ['', undefined],
  ])('is found by name and by path: %s', (name, value) => {
    const claims = { groups: ['a'], realm_access: { roles: ['b'] }, 'https://example.com/groups': ['c'] };
    expect(readClaim(claims, name)).toEqual(value);
  });
});
