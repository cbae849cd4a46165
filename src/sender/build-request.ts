import { AppError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { AuthMode } from '../core/resources/webhook.ts';
import type { RequestPlace, Scheme } from '../signature/scheme.ts';
import { resolveScheme } from '../signature/schemes/resolve-scheme.ts';
import { SCHEME_NAMES } from '../signature/schemes/schemes.ts';
import { encodeHeaderValue } from '../signature/sign/delivery-parts.ts';
import { signRequest } from '../signature/sign/sign-request.ts';

/** What a sender has to know of the webhook it sends to. */
export interface SenderTarget {
  /** As displayed: for `url_token` it ends with the placeholder `/{token}`. */
  ingressUrl: string;
  authMode: AuthMode;
  signatureScheme: string | null;
  /** The `signature` block of the webhook; `null` where it has none. */
  signature: JsonObject | null;
  /** The URL as the sender knows it, where that is another one than is posted to. */
  publicUrl?: string;
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
  /** The body as given, unless its scheme puts something into it. */
  body: Uint8Array;
}

/**
 * A delivery as a real sender would post it: with a bearer token, with the token in the URL, or signed. Throws
 * `bad_request` for a secret or a delivery ID that cannot be sent.
 */
export function buildSenderRequest(target: SenderTarget, secretText: string, delivery: SenderDelivery): SenderRequest {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (target.authMode === 'signature') return buildSigned(target, secretText, delivery, headers);
  const { body, deliveryId } = delivery;
  stampDeliveryId(headers, target.deliveryIdHeader, deliveryId);
  if (target.authMode === 'url_token') return { url: insertToken(target.ingressUrl, secretText), headers, body };
  headers.Authorization = `Bearer ${encodeHeaderValue('Authorization', secretText)}`;
  return { url: target.ingressUrl, headers, body };
}

function buildSigned(
  target: SenderTarget,
  secretText: string,
  delivery: SenderDelivery,
  headers: Record<string, string>,
): SenderRequest {
  const scheme = requireScheme(target);
  const inOwn = namesDelivery(scheme, target.deliveryIdHeader);
  const url = target.publicUrl ?? target.ingressUrl;
  const deliveryId = inOwn ? delivery.deliveryId : null;
  const signed = signRequest(scheme, secretText, { ...delivery, url, deliveryId });
  Object.assign(headers, signed.headers);
  if (!inOwn) stampDeliveryId(headers, target.deliveryIdHeader, delivery.deliveryId);
  return { url: addQuery(target.ingressUrl, signed.query), headers, body: signed.body };
}

/**
 * Is the delivery named where the scheme has its ID: in a header or in the body? A webhook with a delivery ID header of its
 * own takes the ID from there, unless that is the header of the scheme; then the ID is sent once, signed.
 */
function namesDelivery(scheme: Scheme, deliveryIdHeader: string | null): boolean {
  const place = findIdentityPlace(scheme);
  if (place === null || deliveryIdHeader === null) return place !== null;
  return place.in === 'header' && place.name.toLowerCase() === deliveryIdHeader.toLowerCase();
}

/** Where senders of a scheme name the delivery; in the first family, if it has several. */
function findIdentityPlace(scheme: Scheme): RequestPlace | null {
  if (scheme.family === 'signature') return scheme.headers[0].identity;
  const name = scheme.family === 'token' ? scheme.identity : null;
  return name === null ? null : { in: 'header', name };
}

function requireScheme({ signatureScheme: name, signature }: SenderTarget): Scheme {
  const scheme = resolveScheme(name, signature);
  if (scheme !== null) return scheme;
  const known = SCHEME_NAMES.join(', ');
  throw new AppError('bad_request', `The signature scheme ${JSON.stringify(name)} is not known; known are ${known}.`);
}

function addQuery(url: string, query: string): string {
  if (query === '') return url;
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}

function stampDeliveryId(headers: Record<string, string>, header: string | null, deliveryId: string | null): void {
  if (deliveryId === null) return;
  const name = header ?? 'X-Service-Delivery-Id';
  headers[name] = encodeHeaderValue(name, deliveryId);
}

function insertToken(ingressUrl: string, token: string): string {
  return `${ingressUrl.replace(/\/\{token\}$/, '')}/${encodeURIComponent(token)}`;
}
