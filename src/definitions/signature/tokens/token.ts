import { timingSafeEqual } from 'node:crypto';

/** Shorter secrets are compared in as many bytes. */
const MIN_COMPARED_BYTES = 64;

/**
 * Compiles the check of a bearer or URL token. Padded texts of one length are compared, so the duration reveals neither
 * the length nor a common prefix. `presented` is the token as received, every byte one character (Latin-1). An empty
 * secret matches nothing.
 */
export function compileTokenCheck(secretText: string): (presented: string) => boolean {
  const secret = Buffer.from(secretText, 'utf8');
  const expected = Buffer.alloc(Math.max(secret.length, MIN_COMPARED_BYTES));
  secret.copy(expected);
  // Allocated once. Hashing both texts takes ten times as long.
  const padded = Buffer.alloc(expected.length);
  return (presented) => {
    padded.fill(0);
    padded.write(presented, 'latin1');
    const isEqual = timingSafeEqual(padded, expected) && presented.length === secret.length;
    // Latin-1 keeps only the low byte of a character, so a higher character (never received) must not match another.
    return isEqual && secret.length > 0 && !/[^\x00-\xff]/.test(presented);
  };
}

/** The token of an `Authorization` header, or a reason of `AUTH_REASONS`. */
type BearerToken = { ok: true; token: string } | { ok: false; reason: 'missing_credential' | 'malformed_credential' };

/** Reads `Bearer <token>`, in any letter case, without outer white space. A bare `Bearer` is a missing credential. */
export function readBearerToken(authorization: string | undefined): BearerToken {
  const value = authorization ?? '';
  if (value === '' || value.toLowerCase() === 'bearer') return { ok: false, reason: 'missing_credential' };
  const match = /^bearer +(.+)$/is.exec(value);
  return match === null ? { ok: false, reason: 'malformed_credential' } : { ok: true, token: match[1]! };
}

/** Compares in constant time, except for the length, which is not secret. */
export function areEqualTexts(presented: string, expected: string): boolean {
  const left = Buffer.from(presented, 'utf8');
  const right = Buffer.from(expected, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}
