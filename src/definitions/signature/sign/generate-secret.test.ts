import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { findScheme } from '../schemes/schemes.ts';
import { compileVerifier } from '../verify/compile-verifier.ts';
import { generateSecret } from './generate-secret.ts';

it('generates URL-safe tokens of 256 random bits', () => {
  for (const kind of ['token', 'url_token'] as const) {
    expect(generateSecret(kind, () => new Uint8Array(32).fill(0xfb))).toBe(`dbs_${'-_v7'.repeat(10)}-_s`);
    expect(generateSecret(kind, randomBytes)).toMatch(/^dbs_[A-Za-z0-9_-]{43}$/);
  }
});

it('generates secrets that Standard Webhooks accepts', () => {
  const secret = generateSecret('standard_webhooks', randomBytes);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(compileVerifier(findScheme('standard_webhooks')!, secret).ok).toBe(true);
});

it('uses new random bytes each time', () => {
  expect(generateSecret('token', randomBytes)).not.toBe(generateSecret('token', randomBytes));
});
