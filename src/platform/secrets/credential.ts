import { createHash } from 'node:crypto';
import type { RandomBytes } from '../../domain/ids.ts';

const CREDENTIAL_BYTES = 32;

/** A fresh credential: 256 random bits in base64url behind a prefix that says what it is. */
export function createCredential(prefix: string, randomBytes: RandomBytes): string {
  return `${prefix}${Buffer.from(randomBytes(CREDENTIAL_BYTES)).toString('base64url')}`;
}

/** SHA-256 of a credential as it is stored. No salt and no slow hash: the credential contains 256 random bits. */
export function hashCredential(text: string): Uint8Array {
  return createHash('sha256').update(text, 'utf8').digest();
}
