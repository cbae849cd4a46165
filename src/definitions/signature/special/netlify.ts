import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { readPath } from '../../../domain/json.ts';
import type { SignedDelivery, UnsignedDelivery } from '../outgoing-delivery.ts';
import type { RejectedRequest, RequestVariant } from '../rejected-request.ts';
import type { SpecialScheme } from '../scheme.ts';
import { UNDOCUMENTED } from '../schemes/parts.ts';
import { areEqualTexts } from '../tokens/token.ts';
import { reject, type SignatureResult, type SignedRequest } from '../verification.ts';

const HEADER = 'x-webhook-signature';
const ISSUER = 'netlify';

/** The JWS header that Netlify sends; other headers with HS256 are valid too. */
const HEAD = encodeJson({ alg: 'HS256', typ: 'JWT' });

/** Much longer than two claims; longer values are not decoded. */
const MAX_JWS_LENGTH = 4096;

/** Netlify: a JWS in a header, whose claims contain the hash of the body. */
export const NETLIFY: SpecialScheme = {
  family: 'special',
  name: 'netlify',
  title: 'Netlify',
  event: { header: 'X-Netlify-Event' },
  summary: '{name} · {branch} · {title|error_message|commit_ref}',
  signature: { in: 'header', name: 'X-Webhook-Signature' },
  identity: null,
  described: { digest: 'HMAC-SHA256', form: 'JWS', content: 'hash of the body' },
  whenSecretIsIssued: 'user',
  canGenerateSecret: false,
  documentation: 'https://docs.netlify.com/deploy/deploy-notifications/',
  rejectedSecrets: [],
  retries: UNDOCUMENTED,
  secretHint: 'Paste the "JWS secret token" exactly as you entered it at Netlify.',
  findSecretFault: () => null,
  compile: compileVerifier,
  sign: signDelivery,
  signsUrl: false,
  needsCertificate: false,
  mistakes: [
    { id: 'netlify_algorithm', tried: 'a JWS of another algorithm', vary: varyAlgorithm },
    { id: 'netlify_claims', tried: 'a valid JWS of another issuer or body', vary: varyClaims },
  ],
};

/** Verifies a JWS (HS256) whose claims contain the hash of the body. Any other algorithm is rejected. */
function compileVerifier(secretText: string): (request: SignedRequest) => SignatureResult {
  const key = readKey(secretText);
  return (request) => {
    const value = request.headers.get(HEADER) ?? '';
    if (value === '') return reject('missing_credential');
    const jws = cutJws(value);
    if (jws === null) return reject('malformed_signature', 'not a JWS of three parts');
    if (jws.head !== HEAD && readPath(decodeJson(jws.head), ['alg']) !== 'HS256') {
      return reject('malformed_signature', 'not HS256');
    }
    if (!areEqualTexts(jws.signature, sign(key, jws.signed))) return reject('bad_signature');
    return checkClaims(decodeJson(jws.claims), request.body);
  };
}

interface Jws {
  head: string;
  claims: string;
  /** Head and claims, as signed. */
  signed: string;
  signature: string;
}

/** The three parts of a compact JWS; `null` otherwise. The signature authenticates their content. */
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

const DIGESTS: ReadonlyMap<unknown, string> = new Map([
  ['HS256', 'sha256'],
  ['HS384', 'sha384'],
  ['HS512', 'sha512'],
]);

/** Algorithm and claims of a JWS whose signature verifies under some algorithm of HMAC; `null` for any other. */
function readSignedJws({ secret, headers }: RejectedRequest): { algorithm: string; claims: unknown } | null {
  const value = headers.get(HEADER) ?? '';
  const jws = cutJws(value);
  if (jws === null) return null;
  const { head, claims, signed, signature } = jws;
  const algorithm = readPath(decodeJson(head), ['alg']);
  const digest = DIGESTS.get(algorithm);
  if (digest === undefined || !areEqualTexts(signature, sign(readKey(secret.text), signed, digest))) return null;
  return { algorithm: algorithm as string, claims: decodeJson(claims) };
}

function checkClaims(claims: unknown, body: Uint8Array): SignatureResult {
  if (readPath(claims, ['iss']) !== ISSUER) return reject('wrong_sender', 'the issuer is not netlify');
  const claimed = readPath(claims, ['sha256']);
  // Both are known to the sender, and the claim is signed, so the duration of the comparison reveals nothing.
  if (claimed !== hashBody(body)) return reject('bad_signature');
  return { ok: true, family: ISSUER, identity: null };
}

/** The delivery as Netlify sends it. */
function signDelivery(secretText: string, { body }: UnsignedDelivery): SignedDelivery {
  const signed = `${HEAD}.${encodeJson({ iss: ISSUER, sha256: hashBody(body) })}`;
  const headers = { 'X-Webhook-Signature': `${signed}.${sign(readKey(secretText), signed)}` };
  return { headers, body, query: '' };
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

function* varyAlgorithm(request: RejectedRequest): Iterable<RequestVariant> {
  const token = readSignedJws(request);
  if (token === null || token.algorithm === 'HS256') return;
  const sentence = `The JWS is signed with ${token.algorithm}, but Netlify uses HS256: make the sender sign with HS256.`;
  yield { isProven: true, sentence };
}

function* varyClaims(request: RejectedRequest): Iterable<RequestVariant> {
  const token = readSignedJws(request);
  if (token === null) return;
  const sentence =
    readPath(token.claims, ['iss']) === 'netlify'
      ? 'The JWS is valid, but its `sha256` is not the hash of the body in lowercase hex: check that no proxy or function changes the body, and if the sender is not Netlify, make it write the hash in that form.'
      : 'The JWS is valid, but its issuer is not `netlify`: make the sender write `"iss": "netlify"`, or describe it with `signatureScheme: custom` if it is not Netlify.';
  yield { isProven: true, sentence };
}
