import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { areEqualTexts } from '../tokens/token.ts';
import { reject, type SignatureResult, type SignedRequest } from '../verification.ts';
import { readJson } from '../verify/request-parts.ts';

const HEADER = 'x-webhook-signature';
const ISSUER = 'netlify';

/** What Netlify sends; another header that says HS256 is as good. */
const HEAD = encodeJson({ alg: 'HS256', typ: 'JWT' });

/** Far more than the two claims need; what is longer is not decoded. */
const MAX_JWS_LENGTH = 4096;

/** Verifies a JWS (HS256) whose claims hold the hash of the body. Any other algorithm in it is refused. */
export function compileNetlifyVerifier(secretText: string): (request: SignedRequest) => SignatureResult {
  const key = readKey(secretText);
  return (request) => {
    const value = request.headers.get(HEADER) ?? '';
    if (value === '') return reject('missing_credential');
    const jws = cutJws(value);
    if (jws === null) return reject('malformed_signature', 'not a JWS of three parts');
    if (jws.head !== HEAD && readJson(decodeJson(jws.head), ['alg']) !== 'HS256') {
      return reject('malformed_signature', 'not HS256');
    }
    if (!areEqualTexts(jws.signature, sign(key, jws.signed))) return reject('bad_signature');
    return checkClaims(decodeJson(jws.claims), request.body);
  };
}

interface Jws {
  head: string;
  claims: string;
  /** Head and claims, as they are signed. */
  signed: string;
  signature: string;
}

/** The parts of a compact JWS; `null` where they are not three. What they are made of the signature vouches for. */
function cutJws(value: string): Jws | null {
  const first = value.indexOf('.');
  const second = value.indexOf('.', first + 1);
  const isWhole = first > 0 && second > first + 1 && second < value.length - 1;
  if (!isWhole || value.length > MAX_JWS_LENGTH || value.includes('.', second + 1)) return null;
  return {
    head: value.slice(0, first),
    claims: value.slice(first + 1, second),
    signed: value.slice(0, second),
    signature: value.slice(second + 1),
  };
}

function readKey(secretText: string): KeyObject {
  return createSecretKey(Buffer.from(secretText, 'utf8'));
}

/** A JWS whose signature is good under some algorithm of HMAC; `null` for any other. */
export interface NetlifyToken {
  algorithm: string;
  claims: unknown;
}

const DIGESTS: ReadonlyMap<unknown, string> = new Map([
  ['HS256', 'sha256'],
  ['HS384', 'sha384'],
  ['HS512', 'sha512'],
]);

/** For a diagnosis: what a JWS says whose signature is good, whatever it says. */
export function readNetlifyToken(secretText: string, value: string): NetlifyToken | null {
  const jws = cutJws(value);
  if (jws === null) return null;
  const { head, claims, signed, signature } = jws;
  const algorithm = readJson(decodeJson(head), ['alg']);
  const digest = DIGESTS.get(algorithm);
  if (digest === undefined || !areEqualTexts(signature, sign(readKey(secretText), signed, digest))) return null;
  return { algorithm: algorithm as string, claims: decodeJson(claims) };
}

function checkClaims(claims: unknown, body: Uint8Array): SignatureResult {
  if (readJson(claims, ['iss']) !== ISSUER) return reject('wrong_sender', 'the issuer is not netlify');
  const claimed = readJson(claims, ['sha256']);
  // Both are the sender's own, and the claim is signed: how long the comparison takes tells nobody anything.
  if (claimed !== hashBody(body)) return reject('bad_signature');
  return { ok: true, family: ISSUER, identity: null };
}

/** The headers that Netlify sends with a body. */
export function signNetlify(secretText: string, body: Uint8Array): Record<string, string> {
  const signed = `${HEAD}.${encodeJson({ iss: ISSUER, sha256: hashBody(body) })}`;
  return { 'X-Webhook-Signature': `${signed}.${sign(readKey(secretText), signed)}` };
}

function sign(key: KeyObject, content: string, algorithm = 'sha256'): string {
  return createHmac(algorithm, key).update(content, 'latin1').digest('base64url');
}

function hashBody(body: Uint8Array): string {
  return hash('sha256', body, 'hex');
}

function encodeJson(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decodeJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
