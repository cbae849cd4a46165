// A delivery as a real sender posts it, for `dockbell send`, `dockbell listen`, backfills and test deliveries. In: a webhook,
// its secret, a payload. Out: a signed request, posted by `post-delivery.ts`. It shares the schemes with the verifier
// (`definitions/signature/sign/sign-request.ts`), and nothing with the ingress.

import type { RequestPlace, Scheme } from '../../definitions/signature/scheme.ts';
import { findDeliveryIdPath } from '../../definitions/signature/schemes/delivery-id-path.ts';
import { resolveScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import { listSignedFields, SCHEME_NAMES } from '../../definitions/signature/schemes/schemes.ts';
import { encodeHeaderValue, putJson, wrapInForm } from '../../definitions/signature/sign/delivery-parts.ts';
import { signRequest } from '../../definitions/signature/sign/sign-request.ts';
import { FORM_TYPE } from '../../definitions/signature/verify/request-parts.ts';
import { AppError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AuthMode, BodyFormat } from '../../domain/resources/webhook.ts';
import { JSON_FIELD } from '../../domain/words/names.ts';
import { encodeGivenHeaders, mergeHeaders } from './given-headers.ts';

/** What a sender must know about the webhook it sends to. */
export interface SenderTarget {
  /** As shown: for `url_token` it ends with the placeholder `/{token}`. */
  ingressUrl: string;
  authMode: AuthMode;
  signatureScheme: string | null;
  /** The `signature` block of the webhook; `null` if it has none. */
  signature: JsonObject | null;
  /** The URL as the sender knows it, if it is different from the URL to post to. */
  publicUrl?: string;
  bodyFormat: BodyFormat;
  /** The field of a form for JSON; `null` for `payload`. */
  formField: string | null;
  deliveryIdHeader: string | null;
  /** Where the body has the delivery ID; `null` for the place of the scheme, if it has one. */
  deliveryIdPath: string | null;
}

/** What to send. `nowMs` is wall time in milliseconds. */
interface SenderDelivery {
  body: Uint8Array;
  /** The sender's event ID; `null` if it sends none. */
  deliveryId: string | null;
  nowMs: number;
  /** Further request headers. Those of the scheme and of the delivery ID replace them. Default: none. */
  headers?: Readonly<Record<string, string>>;
  /** Generates the delivery ID if the scheme requires one and `deliveryId` is `null`. */
  newId: () => string;
}

/** A request to post. The URL of a `url_token` webhook is a credential: never log it. */
export interface SenderRequest {
  url: string;
  headers: Record<string, string>;
  /** The body as given, unless the scheme or the delivery ID adds something to it. */
  body: Uint8Array;
}

/**
 * Builds a delivery as a real sender would post it: with a bearer token, with the token in the URL, or signed. Throws
 * `bad_request` for a secret or a delivery ID that cannot be sent.
 */
export function buildSenderRequest(target: SenderTarget, secretText: string, delivery: SenderDelivery): SenderRequest {
  const given = encodeGivenHeaders(delivery.headers ?? {});
  const named = nameInBody(target, delivery);
  if (target.bodyFormat === 'form') {
    const headers = mergeHeaders({ 'Content-Type': FORM_TYPE }, given);
    const request = buildOwn(target, secretText, { ...named, body: toForm(target, named.body), headers });
    return { ...request, headers: mergeHeaders(headers, request.headers) };
  }
  const request = buildOwn(target, secretText, { ...named, headers: given });
  const usual = mergeHeaders({ 'Content-Type': 'application/json' }, given);
  return { ...request, headers: mergeHeaders(usual, request.headers) };
}

/** A form as it is; JSON as the field of the webhook, or as `payload`, as GitHub sends it. Some schemes have another field for it. */
function toForm({ formField, signatureScheme, signature }: SenderTarget, body: Uint8Array): Uint8Array {
  const scheme = resolveScheme(signatureScheme, signature);
  const isJson = /^[ \t\r\n]*[{[]/.test(Buffer.from(body).toString('latin1'));
  if (!isJson || (scheme !== null && listSignedFields(scheme) !== null)) return body;
  return wrapInForm(formField ?? JSON_FIELD, body);
}

/** The delivery with its ID in the body, if the webhook reads the ID there. */
function nameInBody(target: SenderTarget, delivery: SenderDelivery): SenderDelivery {
  const { body, deliveryId } = delivery;
  const path = target.deliveryIdHeader === null ? findDeliveryIdPath(target) : null;
  if (path === null || deliveryId === null) return delivery;
  return { ...delivery, body: putJson(body, path, deliveryId), deliveryId: null };
}

/** The request with the headers that a sender of the webhook always sends. */
function buildOwn(target: SenderTarget, secretText: string, delivery: SenderDelivery): SenderRequest {
  const headers: Record<string, string> = {};
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
 * Does the delivery ID belong at the location of the scheme, a header or a value of the body? If the webhook sets
 * `deliveryIdHeader`, the ID belongs there instead. If both are the same header, the ID is sent once, signed.
 */
function namesDelivery(scheme: Scheme, deliveryIdHeader: string | null): boolean {
  const place = findIdentityPlace(scheme);
  if (place === null || deliveryIdHeader === null) return place !== null;
  return place.in === 'header' && place.name.toLowerCase() === deliveryIdHeader.toLowerCase();
}

/** The location of the delivery ID under a scheme; of the first family, if it has several. */
function findIdentityPlace(scheme: Scheme): RequestPlace | null {
  if (scheme.family === 'signature') return scheme.headers[0].identity;
  const name = scheme.family === 'token' ? scheme.identity : null;
  return name === null ? null : { in: 'header', name };
}

function requireScheme({ signatureScheme: name, signature }: SenderTarget): Scheme {
  const scheme = resolveScheme(name, signature);
  if (scheme !== null) return scheme;
  const known = SCHEME_NAMES.join(', ');
  throw new AppError('bad_request', `Unknown signature scheme ${JSON.stringify(name)}: use one of ${known}.`);
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
