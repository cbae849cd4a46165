import {
  createHmac,
  createSecretKey,
  createVerify,
  type KeyObject,
  timingSafeEqual,
  verify as verifyWithKey,
} from 'node:crypto';
import type { Algorithm, HeaderFamily, RequestPlace, SignatureScheme } from '../scheme.ts';
import { reject, type SignatureRejection, type SignatureResult, type SignedRequest } from '../verification.ts';
import type { SignatureEntry } from './presented-signatures.ts';
import { readEntries, readSignatures, signatureLengths } from './presented-signatures.ts';
import type { UnusableSecret, UsableKey } from './read-key.ts';
import { readKey } from './read-key.ts';
import { readPlace } from './request-parts.ts';
import type { ContentValues } from './signed-content.ts';
import { feedContent, joinContent, readRareParts } from './signed-content.ts';
import { checkTimestamp, readTimestamp } from './signing-time.ts';

/** Does any of these signatures match the content? */
type Matcher = (signatures: string[], values: ContentValues) => boolean;

/** The scheme of one webhook, with header names in lowercase as they are looked up, and its key. */
interface Verifier {
  scheme: SignatureScheme;
  key: UsableKey;
  matches: Matcher;
  /** Is the timestamp hashed in addition to the body, so that it must be known first? */
  hashesTimestamp: boolean;
}

/** Compiles the verifier of a row of the family `signature`; the key is decoded here, once. */
export function compileSignatureVerifier(
  scheme: SignatureScheme,
  secretText: string,
): { ok: true; verify: (request: SignedRequest) => SignatureResult } | UnusableSecret {
  const key = readKey(scheme, secretText);
  if (!key.ok) return key;
  const verifier: Verifier = {
    scheme: lowercaseHeaders(scheme),
    key,
    matches: compileMatcher(scheme, key),
    hashesTimestamp: scheme.content.some((part) => part.part === 'timestamp'),
  };
  return { ok: true, verify: (request) => verifyFamilies(verifier, request) };
}

function lowercaseHeaders(scheme: SignatureScheme): SignatureScheme {
  const [first, ...others] = scheme.headers;
  const content = scheme.content.map((part) =>
    part.part === 'header' ? { ...part, name: part.name.toLowerCase() } : part,
  );
  return { ...scheme, content, headers: [lowercaseFamily(first), ...others.map(lowercaseFamily)] };
}

function lowercaseFamily(family: HeaderFamily): HeaderFamily {
  const [first, ...others] = family.signatures;
  return {
    name: family.name,
    signatures: [lowercasePlace(first), ...others.map(lowercasePlace)],
    timestamp: family.timestamp?.toLowerCase() ?? null,
    identity: family.identity && lowercasePlace(family.identity),
    fallbackIdentity: family.fallbackIdentity && lowercasePlace(family.fallbackIdentity),
    required: family.required.map((name) => name.toLowerCase()),
    fixed: family.fixed.map(({ name, value }) => ({ name: name.toLowerCase(), value })),
  };
}

function lowercasePlace(place: RequestPlace): RequestPlace {
  return place.in === 'header' ? { ...place, name: place.name.toLowerCase() } : place;
}

/** The first family that verifies decides. If none does, the first one with a signature determines the reason. */
function verifyFamilies(verifier: Verifier, request: SignedRequest): SignatureResult {
  let rejection: SignatureRejection | null = null;
  for (const family of verifier.scheme.headers) {
    const entries = readPresented(verifier.scheme, family, request);
    if (entries === null) continue;
    const result = verifyFamily(verifier, family, request, entries);
    if (result.ok) return result;
    rejection ??= result;
  }
  return rejection ?? reject('missing_credential');
}

/** The entries at all locations of a family; `null` if all are empty. */
function readPresented(scheme: SignatureScheme, family: HeaderFamily, request: SignedRequest): SignatureEntry[] | null {
  let entries: SignatureEntry[] | null = null;
  for (const place of family.signatures) {
    const text = readPlace(request, place);
    if (text === undefined || text === '' || scheme.unsignedValues.includes(text)) continue;
    const read = readEntries(scheme, text);
    entries = entries === null ? read : [...entries, ...read];
  }
  return entries;
}

function verifyFamily(
  verifier: Verifier,
  family: HeaderFamily,
  request: SignedRequest,
  entries: SignatureEntry[],
): SignatureResult {
  const { scheme, key, matches, hashesTimestamp } = verifier;
  const presented = readSignatures(entries, scheme, key.form, key.lengths);
  if (!presented.ok) return presented;
  const unmet = checkHeaders(family, request);
  if (unmet !== null) return unmet;
  const before = hashesTimestamp ? readSigningTime(scheme, family, request, entries) : NO_TIME;
  if (!before.ok) return before;
  const rare = readRareParts(scheme.content, request);
  if (!rare.ok) return rare;
  const identity = readIdentity(family, request);
  const values = { timestamp: before.text, identity, body: request.body, rare: rare.texts };
  if (!matches(presented.signatures, values)) return reject('bad_signature');
  // A timestamp inside the body is read only from bytes that verified.
  const after = hashesTimestamp ? before : readSigningTime(scheme, family, request, entries);
  if (!after.ok) return after;
  return { ok: true, family: family.name, identity: identity === '' ? null : identity };
}

/** As received; `''` if the delivery has no ID. */
function readIdentity({ identity, fallbackIdentity }: HeaderFamily, request: SignedRequest): string {
  const first = identity === null ? '' : (readPlace(request, identity) ?? '');
  return first !== '' || fallbackIdentity === null ? first : (readPlace(request, fallbackIdentity) ?? '');
}

function checkHeaders(family: HeaderFamily, request: SignedRequest): SignatureRejection | null {
  for (const name of family.required) if (!request.headers.get(name)) return reject('missing_header', name);
  for (const { name, value } of family.fixed) {
    const received = request.headers.get(name);
    if (!received) return reject('missing_header', name);
    if (received !== value) return reject('unexpected_header', `${name} is not ${value}`);
  }
  return null;
}

const NO_TIME = { ok: true, text: '' } as const;

/** The text of a signed timestamp within the tolerance; `''` if the scheme signs none. */
function readSigningTime(
  scheme: SignatureScheme,
  family: HeaderFamily,
  request: SignedRequest,
  entries: SignatureEntry[],
): { ok: true; text: string } | SignatureRejection {
  const rule = scheme.timestamp;
  if (!rule?.signed) return NO_TIME;
  const timestamp = readTimestamp(rule, family.timestamp, request, entries);
  if (!timestamp.ok) return timestamp;
  const timely = checkTimestamp(rule, timestamp.text, request.nowMs);
  return timely.ok ? timestamp : timely;
}

/** The algorithm follows only from the stored key, so that a public key can never be used as an HMAC key. */
function compileMatcher(scheme: SignatureScheme, key: UsableKey): Matcher {
  const { algorithm } = key.form;
  return algorithm.kind === 'hmac'
    ? compileHmacMatcher(scheme, key, algorithm.hash)
    : compileKeyMatcher(scheme, algorithm, key.publicKey!);
}

function compileHmacMatcher(scheme: SignatureScheme, key: UsableKey, hash: string): Matcher {
  // Allocated once: two new buffers per request take a tenth of the check of a small body.
  const expected = Buffer.alloc(signatureLengths(scheme.encoding, key).max);
  const presented = Buffer.alloc(expected.length);
  // Created once: a key in bytes would be converted for each digest.
  const secret = createSecretKey(key.bytes);
  return (signatures, values) => {
    const hmac = createHmac(hash, secret);
    feedContent(scheme.content, values, (piece, encoding) => hmac.update(piece as string, encoding));
    // Texts are compared, not bytes: a digest has one text, so another text that decodes to it does not match.
    expected.write(hmac.digest(scheme.encoding), 'latin1');
    // No early exit: the duration must not reveal which of several signatures matched.
    let matched = false;
    for (const signature of signatures) {
      presented.write(signature, 'latin1');
      matched = timingSafeEqual(presented, expected) || matched;
    }
    return matched;
  };
}

function compileKeyMatcher(scheme: SignatureScheme, algorithm: Algorithm, key: KeyObject): Matcher {
  const digest = digestOf(algorithm);
  return (signatures, values) =>
    signatures.some((text) => {
      const signature = Buffer.from(text, scheme.encoding);
      // Decoding ignores spare bits at the end of base64; only the canonical text counts.
      if (signature.toString(scheme.encoding) !== text) return false;
      // Ed25519 needs the whole content. The others accept it in pieces, so the body is not copied.
      if (digest === null) return verifyWithKey(null, joinContent(scheme.content, values), key, signature);
      const verifier = createVerify(digest);
      feedContent(scheme.content, values, (piece, encoding) => verifier.update(piece as string, encoding));
      return verifier.verify(key, signature);
    });
}

/** The digest of an algorithm; `null` for Ed25519, which includes one. */
export function digestOf(algorithm: Algorithm): string | null {
  if (algorithm.kind === 'ed25519') return null;
  return algorithm.kind === 'ecdsa-p256' ? 'sha256' : algorithm.hash;
}
