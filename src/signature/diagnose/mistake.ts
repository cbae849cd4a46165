import type { KeyObject } from 'node:crypto';
import type { RequestHeaders } from '../../core/headers.ts';
import type { KeyForm, Scheme, SignatureScheme } from '../scheme.ts';

/** One version of a webhook's secret. */
export interface SecretCandidate {
  version: number;
  text: string;
}

/** A request that was refused, with what it was checked against. */
export interface RejectedRequest {
  scheme: Scheme;
  /** The version that the webhook is pinned to. */
  secret: SecretCandidate;
  otherSecrets: readonly SecretCandidate[];
  headers: RequestHeaders;
  body: Uint8Array;
  /** `null` where nobody knows the URL that the sender was given. */
  publicUrl: string | null;
  /** What the verifier said besides its reason: counts only. */
  detail: string | null;
  /** The key of the certificate that a message of SNS names; `null` where nobody gave it. */
  signingKey: KeyObject | null;
}

/**
 * The request as it would be had one thing been done right. What is left out stays as it was; the moment of signing
 * counts only where `judgesClock` says so, so that a second, later trouble does not hide the first.
 */
export interface RequestVariant {
  scheme?: Scheme;
  secretText?: string;
  headers?: RequestHeaders;
  body?: Uint8Array;
  publicUrl?: string;
  judgesClock?: true;
  /** Shown already, in another way than by a request that would verify. */
  isProven?: true;
  /** One sentence: which mistake it was, and what to do. Never holds anything of a secret or of the request. */
  sentence: string;
}

/** A usual mistake: how to undo it, in every way in which it is made. */
export interface Mistake {
  /** For programs; a published one is not reused for something else. */
  id: string;
  /** What was tried, for people. */
  tried: string;
  /** The only scheme under which it is made; left out where there are several. */
  of?: string;
  vary(request: RejectedRequest): Iterable<RequestVariant>;
}

/** The form of the secret where it is the key of an HMAC; `null` for every other scheme. */
export function findHmacForm(scheme: Scheme, secretText: string): KeyForm | null {
  if (scheme.family !== 'signature') return null;
  const hmacs = scheme.keys.filter((key) => key.algorithm.kind === 'hmac');
  return hmacs.find((key) => secretText.startsWith(key.prefix)) ?? hmacs[0] ?? null;
}

/**
 * The scheme with exactly these bytes as its key. They travel as hex, since the checks of a pasted secret (no line break
 * at its end) are what a mistaken sender's key would fail.
 */
export function withKeyBytes(
  scheme: SignatureScheme,
  form: KeyForm,
  bytes: Buffer,
): { scheme: Scheme; secretText: string } {
  const key: KeyForm = { ...form, prefix: '', decode: 'hex', minBytes: 1, maxBytes: Number.POSITIVE_INFINITY };
  return { scheme: { ...scheme, keys: [key], rejectedSecrets: [] }, secretText: bytes.toString('hex') };
}

/** The same fields, some of them written otherwise. */
export function mapHeaders(
  headers: RequestHeaders,
  names: readonly string[],
  rewrite: (value: string) => string,
): RequestHeaders {
  return {
    get(name) {
      const value = headers.get(name);
      return value === undefined || !names.includes(name) ? value : rewrite(value);
    },
  };
}
