import { createHash, createHmac } from 'node:crypto';
import { readJson } from '../request-parts.ts';
import { refuse, type SignedRequest, type Verdict } from '../verification.ts';
import { areEqualTexts } from './equal-texts.ts';

const HEADER = 'x-webhook-signature';
const ISSUER = 'netlify';
const PART = /^[A-Za-z0-9_-]+$/;

/** Far more than the two claims need; what is longer is not decoded. */
const MAX_JWS_LENGTH = 4096;

/** Verifies a JWS (HS256) whose claims hold the hash of the body. Any other algorithm in it is refused. */
export function compileNetlifyVerifier(secretText: string): (request: SignedRequest) => Verdict {
  return (request) => {
    const value = request.headers.get(HEADER) ?? '';
    if (value === '') return refuse('missing_credential');
    const parts = value.split('.');
    if (parts.length !== 3 || value.length > MAX_JWS_LENGTH || !parts.every((part) => PART.test(part))) {
      return refuse('malformed_signature', 'not a JWS of three parts');
    }
    const [head, claims, signature] = parts as [string, string, string];
    if (readJson(decodeJson(head), ['alg']) !== 'HS256') return refuse('malformed_signature', 'not HS256');
    if (!areEqualTexts(signature, sign(secretText, `${head}.${claims}`))) return refuse('bad_signature');
    return checkClaims(decodeJson(claims), request.body);
  };
}

function checkClaims(claims: unknown, body: Uint8Array): Verdict {
  if (readJson(claims, ['iss']) !== ISSUER) return refuse('wrong_sender', 'the issuer is not netlify');
  const claimed = readJson(claims, ['sha256']);
  if (typeof claimed !== 'string' || !areEqualTexts(claimed, hashBody(body))) return refuse('bad_signature');
  return { ok: true, family: ISSUER, identity: null };
}

/** The headers that Netlify sends with a body. */
export function signNetlify(secretText: string, body: Uint8Array): Record<string, string> {
  const head = encodeJson({ alg: 'HS256', typ: 'JWT' });
  const claims = encodeJson({ iss: ISSUER, sha256: hashBody(body) });
  return { 'X-Webhook-Signature': `${head}.${claims}.${sign(secretText, `${head}.${claims}`)}` };
}

function sign(secretText: string, content: string): string {
  return createHmac('sha256', secretText).update(content, 'latin1').digest('base64url');
}

function hashBody(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
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
