import { createHmac } from 'node:crypto';
import { AppError } from '../core/errors.ts';
import { encodeHeaderValue } from './header-value.ts';
import { readKey } from './read-key.ts';
import type { KeyForm, Scheme } from './schemes.ts';
import { feedContent } from './signed-content.ts';

/** A delivery to be signed as its provider would. `nowMs` is wall time in milliseconds. */
export interface UnsignedDelivery {
  body: Uint8Array;
  nowMs: number;
  /** For the scheme's identity header; `null` lets `newId` name the delivery, where the scheme has such a header. */
  deliveryId: string | null;
  newId: () => string;
}

/**
 * The headers that a sender of this scheme adds: signature, timestamp, identity; those of the scheme's first family.
 * Throws `bad_request` for a secret that cannot sign: unusable, or a public key, which only verifies.
 */
export function signRequest(scheme: Scheme, secretText: string, delivery: UnsignedDelivery): Record<string, string> {
  const family = scheme.headers[0];
  const seconds = String(Math.floor(delivery.nowMs / 1000));
  const headers: Record<string, string> = {};
  let identity = '';
  if (family.identity !== null) {
    identity = encodeHeaderValue(family.identity, delivery.deliveryId ?? delivery.newId());
    headers[family.identity] = identity;
  }
  if (family.timestamp !== null) headers[family.timestamp] = seconds;
  const values = { timestamp: seconds, identity, body: delivery.body };
  const { form, hmac } = startHmac(scheme, secretText);
  feedContent(scheme.content, values, (piece, encoding) => hmac.update(piece as string, encoding));
  headers[family.signature] = formatSignature(scheme, form, hmac.digest(scheme.encoding), seconds);
  return headers;
}

function startHmac(scheme: Scheme, secretText: string) {
  const key = readKey(scheme, secretText);
  if (!key.ok) throw new AppError('bad_request', `${key.message} ${key.hint}`);
  const { algorithm } = key.form;
  if (algorithm.kind === 'ed25519') {
    const what = 'holds the public key of its sender, which verifies but cannot sign';
    throw new AppError('bad_request', `The secret of this webhook ${what}; send from the sender itself.`);
  }
  return { form: key.form, hmac: createHmac(algorithm.hash, key.bytes) };
}

function formatSignature(scheme: Scheme, form: KeyForm, digest: string, seconds: string): string {
  const signature = form.label === null ? digest : `${form.label}${scheme.labelSeparator}${digest}`;
  const from = scheme.timestamp?.from;
  if (from?.place !== 'entry') return signature;
  return `${from.label}${scheme.labelSeparator}${seconds}${scheme.entrySeparator}${signature}`;
}
