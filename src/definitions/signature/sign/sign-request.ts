import { createHmac, createPrivateKey, type KeyObject, sign as signWithKey } from 'node:crypto';
import { AppError } from '../../../domain/errors.ts';
import type { SignedDelivery, UnsignedDelivery } from '../outgoing-delivery.ts';
import type { KeyForm, Scheme, SignatureScheme } from '../scheme.ts';
import { putToken } from '../tokens/token-sender.ts';
import type { SignedRequest } from '../verification.ts';
import { readKey } from '../verify/read-key.ts';
import { FORM_TYPE, readFormField, readPlace } from '../verify/request-parts.ts';
import { digestOf } from '../verify/signature-verifier.ts';
import { type ContentValues, feedContent, joinContent, readRareParts } from '../verify/signed-content.ts';
import { formatTimestamp } from '../verify/signing-time.ts';
import { encodeHeaderValue, parseObject, putJson, wrapInForm } from './delivery-parts.ts';

/**
 * Signs a delivery as a sender of this scheme would: signature, timestamp and identity, at the locations of the scheme's
 * first family. If the secret is a public key, pass the private key: PEM, or `whsk_` under Standard Webhooks. Throws
 * `bad_request` for a secret that cannot sign and for a body to which the scheme cannot add its values.
 */
export function signRequest(scheme: Scheme, secretText: string, delivery: UnsignedDelivery): SignedDelivery {
  if (scheme.family === 'token') return putToken(scheme, secretText, delivery);
  if (scheme.family === 'signature') return signContent(scheme, secretText, delivery);
  if (scheme.sign !== null) return scheme.sign(secretText, delivery);
  throw new AppError('bad_request', `Only ${scheme.title} can sign its deliveries; send one from there.`);
}

function signContent(scheme: SignatureScheme, secretText: string, delivery: UnsignedDelivery): SignedDelivery {
  const family = scheme.headers[0];
  const { form, sign } = readSigner(scheme, secretText);
  const timestamp = scheme.timestamp === null ? '' : formatTimestamp(scheme.timestamp.unit, delivery.nowMs);
  const headers: Record<string, string> = {};
  for (const { name, value } of family.fixed) headers[name] = value;
  const identity = nameDelivery(scheme, delivery);
  if (family.identity?.in === 'header') headers[family.identity.name] = identity;
  if (family.timestamp !== null) headers[family.timestamp] = timestamp;
  standInForHeaders(scheme, headers, delivery.headers ?? {});
  const body = fillBody(scheme, delivery.body, timestamp, identity, headers);
  const values = collectValues(scheme, delivery, { headers, body, timestamp, identity });
  const signature = formatSignature(scheme, form, sign(values), timestamp);
  const place = family.signatures[0];
  if (place.in === 'json') return { headers, body: putJson(body, place.path, signature), query: '' };
  headers[place.name] = signature;
  return { headers, body, query: '' };
}

/** Adds headers that the scheme requires or signs. If only the sender knows the value, a placeholder is sent. */
function standInForHeaders(
  { headers: [family], content }: SignatureScheme,
  headers: Record<string, string>,
  given: Readonly<Record<string, string>>,
): void {
  const signed = content.flatMap((part) => (part.part === 'header' ? [part.name] : []));
  for (const name of [...family.required, ...signed]) {
    if (findHeader(headers, name) !== undefined) continue;
    const value = findHeader(given, name);
    if (name.toLowerCase() === 'content-type') headers['Content-Type'] = value ?? 'application/json';
    else headers[name] = value ?? 'test';
  }
}

function findHeader(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  const lowercase = name.toLowerCase();
  return Object.entries(headers).find(([one]) => one.toLowerCase() === lowercase)?.[1];
}

function nameDelivery(scheme: SignatureScheme, { deliveryId, newId }: UnsignedDelivery): string {
  const place = scheme.headers[0].identity;
  if (place === null) return '';
  return place.in === 'header' ? encodeHeaderValue(place.name, deliveryId ?? newId()) : (deliveryId ?? newId());
}

/** Adds to the body what senders of the scheme have in it: a timestamp, an ID; or wraps the body in a form. */
function fillBody(
  scheme: SignatureScheme,
  body: Uint8Array,
  timestamp: string,
  identity: string,
  headers: Record<string, string>,
): Uint8Array {
  const [family] = scheme.headers;
  const from = scheme.timestamp?.from;
  let filled = body;
  if (from?.place === 'json')
    filled = putJson(filled, from.path, from.type === 'number' ? Number(timestamp) : timestamp);
  if (family.identity?.in === 'json') filled = putJson(filled, family.identity.path, identity);
  const field = scheme.content.find((part) => part.part === 'form_field');
  if (field === undefined) return filled;
  headers['Content-Type'] = FORM_TYPE;
  return readFormField(filled, field.name) === undefined ? wrapInForm(field.name, filled) : filled;
}

function collectValues(
  scheme: SignatureScheme,
  delivery: UnsignedDelivery,
  signed: { headers: Record<string, string>; body: Uint8Array; timestamp: string; identity: string },
): ContentValues {
  const { headers, body, timestamp, identity } = signed;
  const request: SignedRequest = {
    method: 'POST',
    headers: { get: (name) => findHeader(headers, name) },
    body,
    nowMs: delivery.nowMs,
    json: () => parseObject(body),
    publicUrl: () => delivery.url,
  };
  const rare = readRareParts(scheme.content, request);
  if (!rare.ok) {
    const what = 'signs a value that this body does not contain';
    throw new AppError('bad_request', `The scheme ${scheme.name} ${what}: ${rare.detail}.`);
  }
  const place = scheme.headers[0].identity;
  const named = place?.in === 'json' ? (readPlace(request, place) ?? '') : identity;
  return { timestamp, identity: named, body, rare: rare.texts };
}

type Sign = (values: ContentValues) => string;

function readSigner(scheme: SignatureScheme, secretText: string): { form: KeyForm; sign: Sign } {
  const signer = readPrivateKey(scheme, secretText);
  if (signer !== null) return { form: signer.form, sign: (values) => signWithPrivateKey(scheme, signer, values) };
  const key = readKey(scheme, secretText);
  if (!key.ok) throw new AppError('bad_request', `${key.message} ${key.hint}`);
  const { form, bytes } = key;
  const { algorithm } = form;
  if (algorithm.kind !== 'hmac') {
    const what = 'is the public key of its sender, which verifies but cannot sign';
    const instead = 'Send from the provider, or generate a key pair and sign with its private key (--secret-file).';
    throw new AppError('bad_request', `The secret of this webhook ${what}. ${instead}`);
  }
  const sign: Sign = (values) => {
    const hmac = createHmac(algorithm.hash, bytes);
    feedContent(scheme.content, values, (piece, encoding) => hmac.update(piece as string, encoding));
    return hmac.digest(scheme.encoding);
  };
  return { form, sign };
}

interface PrivateSigner {
  form: KeyForm;
  key: KeyObject;
}

/** The private key, for testing a webhook with a generated key pair; `null` for other secrets. */
function readPrivateKey(scheme: SignatureScheme, secretText: string): PrivateSigner | null {
  const form = scheme.keys.find((one) => one.algorithm.kind !== 'hmac');
  if (form === undefined) return null;
  const seed = /^whsk_([A-Za-z0-9+/]{43,88}={0,2})$/.exec(secretText)?.[1];
  if (seed === undefined && !secretText.includes('PRIVATE KEY-----')) return null;
  try {
    return { form, key: seed === undefined ? createPrivateKey(secretText) : importSeed(Buffer.from(seed, 'base64')) };
  } catch {
    throw new AppError('bad_request', 'The private key cannot be read; use PEM without a passphrase.');
  }
}

/** An Ed25519 key of 32 bytes, or of 64 with the public key at the end. */
function importSeed(bytes: Buffer): KeyObject {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), bytes.subarray(0, 32)]);
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
}

function signWithPrivateKey(scheme: SignatureScheme, { form, key }: PrivateSigner, values: ContentValues): string {
  return signWithKey(digestOf(form.algorithm), joinContent(scheme.content, values), key).toString(scheme.encoding);
}

function formatSignature(scheme: SignatureScheme, form: KeyForm, digest: string, timestamp: string): string {
  const signature = form.label === null ? digest : `${form.label}${scheme.labelSeparator}${digest}`;
  const from = scheme.timestamp?.from;
  if (from?.place !== 'entry') return signature;
  return `${from.label}${scheme.labelSeparator}${timestamp}${scheme.entrySeparator}${signature}`;
}
