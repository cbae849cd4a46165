import { isJsonObject } from '../../../domain/json.ts';
import type { TokenPlace, TokenScheme } from '../scheme.ts';
import { reject, type SignatureResult, type SignedRequest } from '../verification.ts';
import { findSecretFault, type UnusableSecret } from '../verify/read-key.ts';
import { toWireText } from '../verify/request-parts.ts';
import { compileTokenCheck, readBearerToken } from './token.ts';

/** The tokens at one location of a request: each of them must be the secret. */
type Presented = { ok: true; tokens: string[] } | { ok: false; reason: 'missing_credential' | 'malformed_credential' };

const MISSING = { ok: false, reason: 'missing_credential' } as const;
const MALFORMED = { ok: false, reason: 'malformed_credential' } as const;

/** Compiles the verifier of a row of the family `token`. Fails for a secret that no sender could send. */
export function compileTokenVerifier(
  scheme: TokenScheme,
  secretText: string,
): { ok: true; verify: (request: SignedRequest) => SignatureResult } | UnusableSecret {
  const fault = findSecretFault(scheme, secretText) ?? findPlaceFault(scheme, secretText);
  if (fault !== null) return { ok: false, message: `The secret for ${scheme.title} ${fault}.`, hint: hintFor(scheme) };
  const check = compileTokenCheck(secretText);
  const identity = scheme.identity?.toLowerCase() ?? null;
  return { ok: true, verify: (request) => verifyToken(scheme, check, identity, request) };
}

function findPlaceFault(scheme: TokenScheme, secretText: string): string | null {
  const isBasicOnly = scheme.places.every((place) => place.in === 'basic');
  return isBasicOnly && !secretText.includes(':') ? 'has no colon between user and password' : null;
}

function hintFor({ title, places }: TokenScheme): string {
  return places[0].in === 'basic'
    ? `Write user:password, both as entered at ${title}; the user may be empty.`
    : `Paste the whole token exactly as ${title} shows it.`;
}

function verifyToken(
  scheme: TokenScheme,
  check: (presented: string) => boolean,
  identityHeader: string | null,
  request: SignedRequest,
): SignatureResult {
  let reason: 'missing_credential' | 'malformed_credential' | 'bad_credential' = 'missing_credential';
  for (const place of scheme.places) {
    const presented = readTokens(place, request);
    if (!presented.ok) {
      if (reason === 'missing_credential') reason = presented.reason;
      continue;
    }
    // All are compared: the duration must not reveal which of them is wrong.
    if (presented.tokens.map(check).every(Boolean)) {
      const identity = (identityHeader === null ? undefined : request.headers.get(identityHeader)) ?? '';
      return { ok: true, family: scheme.name, identity: identity === '' ? null : identity };
    }
    reason = 'bad_credential';
  }
  return reject(reason);
}

function readTokens(place: TokenPlace, request: SignedRequest): Presented {
  if (place.in === 'json_list') return readList(request.json([[place.list, place.key]]), place.list, place.key);
  const value = request.headers.get(place.in === 'header' ? place.name.toLowerCase() : 'authorization') ?? '';
  if (value === '') return MISSING;
  if (place.in === 'header') return { ok: true, tokens: [value] };
  if (place.in === 'basic') return readBasic(value);
  const bearer = readBearerToken(value);
  return bearer.ok ? { ok: true, tokens: [bearer.token] } : bearer;
}

/** `Basic` and the canonical base64 of `user:password`. */
function readBasic(authorization: string): Presented {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  if (encoded === undefined) return MALFORMED;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? { ok: true, tokens: [bytes.toString('latin1')] } : MALFORMED;
}

function readList(body: unknown, list: string, key: string): Presented {
  const entries = isJsonObject(body) && Object.hasOwn(body, list) ? body[list] : undefined;
  if (!Array.isArray(entries) || entries.length === 0) return MISSING;
  const tokens: string[] = [];
  for (const entry of entries) {
    const token = isJsonObject(entry) && Object.hasOwn(entry, key) ? entry[key] : undefined;
    if (typeof token !== 'string' || token === '') return MISSING;
    tokens.push(toWireText(token));
  }
  return { ok: true, tokens };
}
