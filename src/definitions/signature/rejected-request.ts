import type { KeyObject } from 'node:crypto';
import type { RequestHeaders } from '../../domain/deliveries/headers.ts';

/** One version of a webhook's secret, as a diagnosis tries it. */
export interface SecretCandidate {
  version: number;
  text: string;
  /** What is known about the version, as `describeUsedVersion`; omitted if nothing is. */
  history?: string;
}

/** A rejected request, with the secret it was checked against. */
export interface RejectedRequest {
  /** The version that the webhook is pinned to. */
  secret: SecretCandidate;
  otherSecrets: readonly SecretCandidate[];
  headers: RequestHeaders;
  body: Uint8Array;
  /** `null` if the URL that the sender was given is not known. */
  publicUrl: string | null;
  /** What the verifier reported in addition to its reason: counts only. */
  detail: string | null;
  /** The key of the provider's certificate, for schemes that need one; `null` if it was not supplied. */
  signingKey: KeyObject | null;
}

/**
 * The request with one mistake undone. Omitted values stay as they were. The timestamp is checked only with
 * `checksClock`, so that a wrong clock does not hide another mistake.
 */
export interface RequestVariant {
  secretText?: string;
  headers?: RequestHeaders;
  body?: Uint8Array;
  publicUrl?: string;
  checksClock?: true;
  /** The mistake is already proven, without a request that verifies. */
  isProven?: true;
  /** One sentence: the mistake, and what to do. Never contains any part of a secret or of the request. */
  sentence: string;
}

/** A usual mistake under one special scheme, and how to undo it. */
export interface SpecialMistake {
  /** For programs. A published ID is never reused for another mistake. */
  id: string;
  /** What was tried, for people. */
  tried: string;
  vary(request: RejectedRequest): Iterable<RequestVariant>;
}
