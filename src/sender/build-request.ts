import type { AuthMode } from '../core/definition.ts';
import { AppError } from '../core/errors.ts';
import { encodeHeaderValue } from '../signature/header-value.ts';
import type { Scheme } from '../signature/schemes.ts';
import { findScheme, SCHEME_NAMES } from '../signature/schemes.ts';
import { signRequest } from '../signature/sign.ts';

/** What a sender has to know of the webhook it sends to. */
export interface SenderTarget {
  /** As displayed: for `url_token` it ends with the placeholder `/{token}`. */
  ingressUrl: string;
  authMode: AuthMode;
  signatureScheme: string | null;
  deliveryIdHeader: string | null;
}

/** What is to be sent. `nowMs` is wall time in milliseconds. */
export interface SenderDelivery {
  body: Uint8Array;
  /** The sender's own event ID; `null` where it stamps none. */
  deliveryId: string | null;
  nowMs: number;
  /** Names the delivery where the scheme always does and `deliveryId` is `null`. */
  newId: () => string;
}

/** A request to post. The URL of a `url_token` webhook is itself the credential: never log it. */
export interface SenderRequest {
  url: string;
  headers: Record<string, string>;
}

/**
 * A delivery as a real sender would post it: with a bearer token, with the token in the URL, or signed. Throws
 * `bad_request` for a secret or a delivery ID that cannot be sent.
 */
export function buildSenderRequest(target: SenderTarget, secretText: string, delivery: SenderDelivery): SenderRequest {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (target.authMode === 'signature') return buildSigned(target, secretText, delivery, headers);
  stampDeliveryId(headers, target.deliveryIdHeader, delivery.deliveryId);
  if (target.authMode === 'url_token') return { url: insertToken(target.ingressUrl, secretText), headers };
  headers.Authorization = `Bearer ${encodeHeaderValue('Authorization', secretText)}`;
  return { url: target.ingressUrl, headers };
}

function buildSigned(
  target: SenderTarget,
  secretText: string,
  delivery: SenderDelivery,
  headers: Record<string, string>,
): SenderRequest {
  const scheme = requireScheme(target.signatureScheme);
  const own = scheme.headers[0].identity;
  // The scheme's identity header may itself be the webhook's delivery ID header; then it is sent once, signed.
  const inOwn = own !== null && (target.deliveryIdHeader ?? own).toLowerCase() === own.toLowerCase();
  const signed = signRequest(scheme, secretText, { ...delivery, deliveryId: inOwn ? delivery.deliveryId : null });
  Object.assign(headers, signed);
  if (!inOwn) stampDeliveryId(headers, target.deliveryIdHeader, delivery.deliveryId);
  return { url: target.ingressUrl, headers };
}

function requireScheme(name: string | null): Scheme {
  const scheme = name === null ? undefined : findScheme(name);
  if (scheme !== undefined) return scheme;
  const known = SCHEME_NAMES.join(', ');
  throw new AppError('bad_request', `The signature scheme ${JSON.stringify(name)} is not known; known are ${known}.`);
}

function stampDeliveryId(headers: Record<string, string>, header: string | null, deliveryId: string | null): void {
  if (deliveryId === null) return;
  const name = header ?? 'X-Service-Delivery-Id';
  headers[name] = encodeHeaderValue(name, deliveryId);
}

function insertToken(ingressUrl: string, token: string): string {
  return `${ingressUrl.replace(/\/\{token\}$/, '')}/${encodeURIComponent(token)}`;
}
