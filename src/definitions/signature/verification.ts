import type { KeyObject } from 'node:crypto';
import type { RequestHeaders } from '../../domain/deliveries/headers.ts';
import type { AuthReason } from '../../domain/words/delivery-reasons.ts';

/** A request to verify, with the exact bytes of its body. `nowMs` is wall time in milliseconds. */
export interface SignedRequest {
  method: string;
  headers: RequestHeaders;
  body: Uint8Array;
  /** The values of the body at these paths, as an object; `undefined` if it is not JSON. Other keys may be missing. */
  json(paths: readonly (readonly string[])[]): unknown;
  /** The URL as configured with the sender, with the received query. Called only if the URL is signed. */
  publicUrl(): string;
  nowMs: number;
}

/** A rejection. `detail` never repeats what the sender wrote; it contains counts and fixed words only. */
export interface SignatureRejection {
  ok: false;
  reason: AuthReason;
  detail: string | null;
}

/** A request that verified. */
interface Verified {
  ok: true;
  /** Name of the header family whose signature matched. */
  family: string;
  /** The provider's ID of the delivery, as received; `null` if absent or empty. */
  identity: string | null;
}

/** A request that verified, or why it did not. */
export type SignatureResult = Verified | SignatureRejection;

/** `unavailable`: the key of the provider cannot be fetched now. The sender made no mistake and must retry. */
export type VerifyResult = SignatureResult | { ok: false; reason: 'unavailable'; detail: null };

/** Never throws. Returns a promise only if a key has to be fetched first. */
export type Verify = (request: SignedRequest) => VerifyResult | Promise<VerifyResult>;

/** The public key of the certificate at a checked URL; `null` if it is not available now. */
export type FindSigningKey = (url: string, nowMs: number) => KeyObject | null | Promise<KeyObject | null>;

export function reject(reason: AuthReason, detail: string | null = null): SignatureRejection {
  return { ok: false, reason, detail };
}
