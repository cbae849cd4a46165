import type { KeyObject } from 'node:crypto';
import type { RequestHeaders } from '../core/headers.ts';
import type { AuthReason } from '../words/delivery-reasons.ts';

/** What is verified: a request with the exact bytes of its body. `nowMs` is wall time in milliseconds. */
export interface SignedRequest {
  method: string;
  headers: RequestHeaders;
  body: Uint8Array;
  /** The body parsed as JSON, at most once however often it is asked for; `undefined` where it is not JSON. */
  json(): unknown;
  /** The URL as configured with the sender, with the query that came; asked for only where it is signed. */
  publicUrl(): string;
  nowMs: number;
}

/** A reason with its particulars. Particulars never repeat what the sender wrote, only counts. */
export interface SignatureRejection {
  ok: false;
  reason: AuthReason;
  detail: string | null;
}

/** A request that verified. */
export interface Verified {
  ok: true;
  /** Name of the header family whose signature matched. */
  family: string;
  /** What the provider itself calls the delivery, as received; `null` where absent or empty. */
  identity: string | null;
}

/** A request that verified, or why it did not: a code of `AUTH_REASONS` with its particulars. */
export type SignatureResult = Verified | SignatureRejection;

/** Or the key of the provider cannot be had now: the sender did nothing wrong and has to try again. */
export type VerifyResult = SignatureResult | { ok: false; reason: 'unavailable'; detail: null };

/** Never throws, whatever the request holds. Only `sns` answers later, for it has to fetch a certificate. */
export type Verify = (request: SignedRequest) => VerifyResult | Promise<VerifyResult>;

/** The public key of the certificate at a checked URL; `null` if it is not available now. */
export type FindSigningKey = (url: string, nowMs: number) => KeyObject | null | Promise<KeyObject | null>;

export function reject(reason: AuthReason, detail: string | null = null): SignatureRejection {
  return { ok: false, reason, detail };
}
