import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../test/helpers/any-text.ts';
import { AppError } from '../../domain/errors.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { createVault } from './vault.ts';

const CANARY = 'canary-value-that-must-not-appear';
const vault = createVault(randomBytes(32));

function openError(name: string, version: number, sealed: Uint8Array, by = vault): AppError {
  try {
    by.open({ name, version, sealed });
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return error as AppError;
  }
  throw new Error('it was opened');
}

function expectBroken(error: AppError, name: string, version: number): void {
  expect(error.code).toBe('storage_broken');
  expect(error.message).toContain(`Version ${version} of the secret ${name}`);
  expect(`${error.message}${JSON.stringify(error.details)}${error.stack}${String(error.cause)}`).not.toContain(CANARY);
}

describe('sealing', () => {
  it('gives back what was sealed', () => {
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/);
    const text = anyText({ maxLength: 2000 });
    fc.assert(
      fc.property(name, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), text, (name, version, text) => {
        const sealed = vault.seal(name, version, new SecretValue(text));
        expect(vault.open({ name, version, sealed }).reveal()).toBe(text);
        expect(text.length > 3 && Buffer.from(sealed).includes(text)).toBe(false);
      }),
    );
  });

  it('never seals one value twice to the same bytes', () => {
    const seal = () => Buffer.from(vault.seal('TOKEN', 1, new SecretValue(CANARY))).toString('hex');
    expect(new Set(Array.from({ length: 100 }, seal)).size).toBe(100);
  });

  it('rejects a master key of another length', () => {
    expect(() => createVault(randomBytes(16))).toThrow('32 bytes; this one has 16');
  });
});

describe('opening', () => {
  it('rejects a sealed value with any bit flipped', () => {
    const sealed = vault.seal('TOKEN', 3, new SecretValue(CANARY));
    for (let bit = 0; bit < sealed.byteLength * 8; bit += 1) {
      const edited = Uint8Array.from(sealed);
      edited[bit >> 3]! ^= 1 << (bit & 7);
      expectBroken(openError('TOKEN', 3, edited), 'TOKEN', 3);
    }
  });

  it('rejects a sealed value cut at any place, or with bytes behind it', () => {
    const sealed = vault.seal('TOKEN', 3, new SecretValue(CANARY));
    for (let length = 0; length < sealed.byteLength; length += 1) {
      expectBroken(openError('TOKEN', 3, sealed.subarray(0, length)), 'TOKEN', 3);
    }
    expectBroken(openError('TOKEN', 3, Buffer.concat([sealed, Buffer.alloc(1)])), 'TOKEN', 3);
  });

  it('rejects a sealed value under another name or version', () => {
    const sealed = vault.seal('TOKEN', 3, new SecretValue(CANARY));
    expectBroken(openError('OTHER', 3, sealed), 'OTHER', 3);
    expectBroken(openError('TOKEN', 4, sealed), 'TOKEN', 4);
  });

  it('rejects the data key of one secret in front of the value of another', () => {
    const one = vault.seal('ONE', 1, new SecretValue(CANARY));
    const two = vault.seal('TWO', 1, new SecretValue(CANARY));
    const mixed = Buffer.concat([one.subarray(0, 69), two.subarray(69)]);
    expectBroken(openError('ONE', 1, mixed), 'ONE', 1);
    expectBroken(openError('TWO', 1, mixed), 'TWO', 1);
  });

  it('says that another master key sealed the value', () => {
    const sealed = createVault(randomBytes(32)).seal('TOKEN', 1, new SecretValue(CANARY));
    const error = openError('TOKEN', 1, sealed);
    expectBroken(error, 'TOKEN', 1);
    expect(error.message).toContain('another master key');
  });
});

describe('key check', () => {
  it('tells master keys apart and does not hold them', () => {
    const key = randomBytes(32);
    const check = createVault(key).keyCheck();
    expect(createVault(key).matchesKeyCheck(check)).toBe(true);
    expect(vault.matchesKeyCheck(check)).toBe(false);
    expect(vault.matchesKeyCheck(new Uint8Array())).toBe(false);
    expect(Buffer.from(check).includes(key.subarray(0, 8))).toBe(false);
  });
});
