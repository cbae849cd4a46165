import { describe, expect, it } from 'vitest';
import { readReturnPath } from './read-return-path.ts';

const ORIGIN = 'https://dockbell.example.com';
const read = (path: string) => readReturnPath(new URL(path, ORIGIN) as unknown as Location);

describe('readReturnPath', () => {
  it('returns the requested path', () => {
    expect(read('/factories/payments/webhooks?state=wrong')).toBe('/factories/payments/webhooks?state=wrong');
    expect(read('/login?return_to=%2Ffactories%2Fpayments%3Fx%3D1')).toBe('/factories/payments?x=1');
  });

  it.each([
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/x/..//evil.example',
    'javascript:alert(1)',
    '/login?return_to=/x',
  ])('returns / for %j', (path) => {
    expect(read(`/login?return_to=${encodeURIComponent(path)}`)).toBe('/');
  });
});
