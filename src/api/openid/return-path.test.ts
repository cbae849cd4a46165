import { describe, expect, it } from 'vitest';
import { readReturnPath } from './return-path.ts';

describe('the path after signing in', () => {
  it.each([
    '/',
    '/factories/payments',
    '/factories/payments/webhooks?state=wrong#top',
    '/factories/a%2Fb',
    '/a?next=//evil.example',
    '/apiary',
  ])('is kept: %s', (path) => {
    expect(readReturnPath(path)).toBe(path);
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/x/..//evil.example',
    '/.//evil.example',
    '/%2e//evil.example',
    'javascript:alert(1)',
    ' /x',
    'x',
    '',
    '?x',
    '/login',
    '/login?return_to=/x',
    '/auth/oidc/login',
    '/api/v1/session',
    `/${'x'.repeat(1000)}`,
    undefined,
    null,
    ['/x', '/y'],
  ])('is the overview for %j', (path) => {
    expect(readReturnPath(path)).toBe('/');
  });

  it('has no character that ends a header', () => {
    expect(readReturnPath('/a\r\nset-cookie: x=y')).not.toMatch(/[\r\n]/);
  });
});
