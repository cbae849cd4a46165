import { isJsonObject, type JsonObject } from '../../../domain/json.ts';

/** Longer than the query of any handshake; longer queries are not parsed. */
const MAX_QUERY_LENGTH = 2048;

const MAX_CHALLENGE_LENGTH = 255;

const ECHOED = new RegExp(`^[A-Za-z0-9._~+/=-]{1,${MAX_CHALLENGE_LENGTH}}$`);

const SIGNED = new RegExp(`^[A-Za-z0-9_=-]{1,${MAX_CHALLENGE_LENGTH}}$`);

/** May this challenge be returned unchanged? Only characters of base64 and unescaped characters of URLs; no markup. */
export function isEchoable(challenge: unknown): challenge is string {
  return typeof challenge === 'string' && ECHOED.test(challenge);
}

/**
 * May the digest of this challenge be returned? Only if no delivery under the same scheme has such a text as its signed
 * content: it contains no colon, which `v0:<time>:<body>` does, and it is not JSON, which every accepted body is.
 */
export function isSafeToSign(challenge: unknown): challenge is string {
  return typeof challenge === 'string' && SIGNED.test(challenge) && !isJson(challenge);
}

/** Could a handshake have signed this body as a challenge? */
export function isSignedChallenge(body: Uint8Array): boolean {
  return body.length <= MAX_CHALLENGE_LENGTH && isSafeToSign(Buffer.from(body).toString('latin1'));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The values of a query that has all `required` parameters and any of the `optional` ones, each once, and no others;
 * otherwise `null`. Escapes are decoded, `+` is a space.
 */
export function readExactQuery<Required extends string, Optional extends string = never>(
  query: string,
  required: readonly Required[],
  optional: readonly Optional[] = [],
): (Record<Required, string> & Partial<Record<Optional, string>>) | null {
  if (query === '' || query.length > MAX_QUERY_LENGTH) return null;
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (values.has(name)) return null;
    values.set(name, value);
  }
  const known: readonly string[] = [...required, ...optional];
  const isExact =
    required.every((name) => values.has(name)) && [...values.keys()].every((name) => known.includes(name));
  return isExact ? (Object.fromEntries(values) as ReturnType<typeof readExactQuery<Required, Optional>>) : null;
}

/** A JSON object with exactly these keys; otherwise `null`. */
export function readExactObject(value: unknown, keys: readonly string[]): JsonObject | null {
  if (!isJsonObject(value)) return null;
  const isExact = Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key));
  return isExact ? value : null;
}
