import { createHmac, createPublicKey, timingSafeEqual, verify as verifyWithKey } from 'node:crypto';
import type { RequestHeaders } from '../core/headers.ts';
import type { Entry, Refusal } from './presented-signatures.ts';
import { readEntries, readSignatures, signatureLength } from './presented-signatures.ts';
import type { UnusableSecret } from './read-key.ts';
import { readKey } from './read-key.ts';
import type { HeaderFamily, KeyForm, Scheme } from './schemes.ts';
import type { ContentValues } from './signed-content.ts';
import { feedContent, joinContent } from './signed-content.ts';
import { checkTimestamp, readTimestamp } from './signing-time.ts';

/** What is verified: the header fields and the exact bytes of the body. `nowMs` is wall time in milliseconds. */
export interface SignedRequest {
  headers: RequestHeaders;
  body: Uint8Array;
  nowMs: number;
}

/** A request that verified, or why it did not: a code of `AUTH_REASONS` with its particulars. */
export type Verification =
  | {
      ok: true;
      /** Name of the header family whose signature matched. */
      family: string;
      /** The provider's own delivery header in that family, as received; `null` where absent or empty. */
      identity: string | null;
    }
  | Refusal;

/** Never throws, whatever the headers hold. */
export type Verify = (request: SignedRequest) => Verification;

/** Does any of these signatures match the content? */
type Matcher = (signatures: string[], values: ContentValues) => boolean;

/** Names of a header family in lowercase, as headers are looked up. */
type LowercaseFamily = HeaderFamily;

/** Makes the verifier of one webhook: the key is decoded once, here. Fails for a secret that the scheme cannot use. */
export function compileVerifier(scheme: Scheme, secretText: string): { ok: true; verify: Verify } | UnusableSecret {
  const key = readKey(scheme, secretText);
  if (!key.ok) return key;
  const families = scheme.headers.map(lowercaseFamily);
  const matches = compileMatcher(scheme, key.form, key.bytes);
  return { ok: true, verify: (request) => verifyFamilies(scheme, key.form, families, matches, request) };
}

function lowercaseFamily(family: HeaderFamily): LowercaseFamily {
  return {
    name: family.name,
    signature: family.signature.toLowerCase(),
    timestamp: family.timestamp?.toLowerCase() ?? null,
    identity: family.identity?.toLowerCase() ?? null,
    required: family.required.map((name) => name.toLowerCase()),
  };
}

/** The first family that verifies decides; where none does, the first that was signed says why. */
function verifyFamilies(
  scheme: Scheme,
  form: KeyForm,
  families: LowercaseFamily[],
  matches: Matcher,
  request: SignedRequest,
): Verification {
  let refusal: Refusal | null = null;
  for (const family of families) {
    const header = request.headers.get(family.signature);
    if (header === undefined || header === '') continue;
    const result = verifyFamily(scheme, form, family, matches, request, readEntries(scheme, header));
    if (result.ok) return result;
    refusal ??= result;
  }
  return refusal ?? { ok: false, reason: 'missing_credential', detail: null };
}

function verifyFamily(
  scheme: Scheme,
  form: KeyForm,
  family: LowercaseFamily,
  matches: Matcher,
  request: SignedRequest,
  entries: Entry[],
): Verification {
  const presented = readSignatures(entries, scheme, form);
  if (!presented.ok) return presented;
  const missing = family.required.find((name) => !request.headers.get(name));
  if (missing !== undefined) return { ok: false, reason: 'missing_header', detail: missing };
  const signedAt = readSigningTime(scheme, family, request, entries);
  if (!signedAt.ok) return signedAt;
  const identity = family.identity === null ? '' : (request.headers.get(family.identity) ?? '');
  const values = { timestamp: signedAt.text, identity, body: request.body };
  if (!matches(presented.signatures, values)) return { ok: false, reason: 'bad_signature', detail: null };
  return { ok: true, family: family.name, identity: identity === '' ? null : identity };
}

/** The text of a timestamp that is signed and timely; `''` where the scheme signs none. */
function readSigningTime(
  scheme: Scheme,
  family: LowercaseFamily,
  request: SignedRequest,
  entries: Entry[],
): { ok: true; text: string } | Refusal {
  const rule = scheme.timestamp;
  if (!rule?.signed) return { ok: true, text: '' };
  const header = family.timestamp === null ? undefined : request.headers.get(family.timestamp);
  const timestamp = readTimestamp(rule, header, entries);
  if (!timestamp.ok) return timestamp;
  const timely = checkTimestamp(timestamp.text, request.nowMs, rule.toleranceSeconds);
  return timely.ok ? timestamp : timely;
}

/** The algorithm follows from the stored key alone, so that a public key can never serve as an HMAC key. */
function compileMatcher(scheme: Scheme, form: KeyForm, bytes: Buffer): Matcher {
  return form.algorithm.kind === 'ed25519'
    ? compileEd25519Matcher(scheme, bytes)
    : compileHmacMatcher(scheme, form, form.algorithm.hash, bytes);
}

function compileHmacMatcher(scheme: Scheme, form: KeyForm, hash: string, key: Buffer): Matcher {
  // Allocated once: two new buffers a request cost a tenth of the whole check of a small body.
  const expected = Buffer.alloc(signatureLength(scheme, form));
  const presented = Buffer.alloc(expected.length);
  return (signatures, values) => {
    const hmac = createHmac(hash, key);
    feedContent(scheme.content, values, (piece, encoding) => hmac.update(piece as string, encoding));
    // Texts are compared, not bytes: a digest has one text only, so nothing that merely decodes to it can pass.
    expected.write(hmac.digest(scheme.encoding), 'latin1');
    // No early end: the time must not tell which of several signatures matched.
    let matched = false;
    for (const signature of signatures) {
      presented.write(signature, 'latin1');
      matched = timingSafeEqual(presented, expected) || matched;
    }
    return matched;
  };
}

function compileEd25519Matcher(scheme: Scheme, bytes: Buffer): Matcher {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return (signatures, values) => {
    const content = joinContent(scheme.content, values);
    return signatures.some((text) => {
      const signature = Buffer.from(text, scheme.encoding);
      // Spare bits at the end of base64 are ignored in decoding; only the one canonical text counts.
      return signature.toString(scheme.encoding) === text && verifyWithKey(null, content, key, signature);
    });
  };
}
