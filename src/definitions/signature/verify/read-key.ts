import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Algorithm, KeyForm, SchemeFacts, SignatureScheme } from '../scheme.ts';
import { type Lengths, signatureLengths } from './presented-signatures.ts';

/** Why a scheme cannot use a secret. Neither text contains any part of the secret. */
export interface UnusableSecret {
  ok: false;
  message: string;
  hint: string;
}

/** A key that can verify: the bytes of an HMAC key, or a public key. */
export interface UsableKey {
  form: KeyForm;
  /** Empty for a public key, so that a public key can never be used as an HMAC key. */
  bytes: Buffer;
  publicKey: KeyObject | null;
  /** Size of an RSA key; 0 for others. */
  modulusBytes: number;
  /** The length of its signatures. */
  lengths: Lengths;
}

/** Decodes the stored secret in the first form of the scheme that matches its beginning. */
export function readKey(scheme: SignatureScheme, secretText: string): ({ ok: true } & UsableKey) | UnusableSecret {
  const rejection = findSecretFault(scheme, secretText);
  if (rejection !== null) return describeUnusable(scheme, rejection);
  const form = scheme.keys.find((key) => secretText.startsWith(key.prefix));
  if (form === undefined) return describeUnusable(scheme, `does not start with ${listPrefixes(scheme)}`);
  const read = form.decode === 'spki' ? readPublicKey(form, secretText) : readBytes(form, secretText);
  if (typeof read === 'string') return describeUnusable(scheme, read);
  const modulusBytes = Math.ceil((read.publicKey?.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  const key = { form, modulusBytes, ...read };
  return { ok: true, ...key, lengths: signatureLengths(scheme.encoding, key) };
}

function listPrefixes(scheme: SignatureScheme): string {
  return scheme.keys.map((key) => `\`${key.prefix}\``).join(' or ');
}

/** Why a text cannot be a secret of this scheme; `null` if it can. */
export function findSecretFault(scheme: SchemeFacts, secretText: string): string | null {
  if (secretText.trim() === '') return 'is empty';
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(secretText)) {
    return 'is a private key, which only the sender may have; paste the public key';
  }
  // No provider issues such a secret: the line break comes from `echo` or a file, and every delivery would fail.
  if (/^[\r\n]|[\r\n]$/.test(secretText) && !secretText.includes('-----BEGIN')) {
    return 'begins or ends with a line break, which is not part of the secret';
  }
  const refused = scheme.rejectedSecrets.find((entry) => secretText.startsWith(entry.prefix));
  return refused === undefined ? null : `is ${refused.is}`;
}

/** The key, or the mistake in it. */
type Read = { bytes: Buffer; publicKey: KeyObject | null } | string;

const NO_BYTES = Buffer.alloc(0);

function readBytes(form: KeyForm, secretText: string): Read {
  const bytes = decodeBytes(form, secretText);
  if (bytes === null) return `is not ${form.decode}`;
  if (bytes.length < form.minBytes || bytes.length > form.maxBytes) return `is ${bytes.length} bytes long`;
  if (form.algorithm.kind !== 'ed25519') return { bytes, publicKey: null };
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') };
  return { bytes: NO_BYTES, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) };
}

function decodeBytes({ decode, prefix, unescapesHtml }: KeyForm, secretText: string): Buffer | null {
  if (decode === 'text') return Buffer.from(unescapesHtml ? unescapeHtml(secretText) : secretText, 'utf8');
  const text = secretText.slice(prefix.length);
  return decode === 'hex' ? decodeHex(text) : decodeBase64(text);
}

function decodeHex(text: string): Buffer | null {
  return /^(?:[0-9a-fA-F]{2})+$/.test(text) ? Buffer.from(text, 'hex') : null;
}

/** Strict: standard alphabet, nothing after it, padding complete or omitted. */
function decodeBase64(text: string): Buffer | null {
  const unpadded = text.replace(/={1,2}$/, '');
  const bytes = Buffer.from(unpadded, 'base64');
  const canonical = bytes.toString('base64');
  return text === canonical || text === canonical.replace(/=+$/, '') ? bytes : null;
}

const PEM = /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/;

/** Smaller RSA keys can be broken with rented machines. */
const MIN_RSA_BITS = 2048;

function readPublicKey({ algorithm }: KeyForm, secretText: string): Read {
  const base64 = PEM.test(secretText) ? secretText.replace(/-----[A-Z ]+-----/g, '') : secretText;
  const der = decodeBase64(base64.replace(/\s/g, ''));
  const publicKey = der === null ? null : importSpki(der);
  if (publicKey === null) return 'is not a public key';
  const fault = faultOf(algorithm, publicKey);
  return fault ?? { bytes: NO_BYTES, publicKey };
}

function importSpki(der: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}

const KEY_TYPES = { ed25519: 'ed25519', 'ecdsa-p256': 'ec', rsa: 'rsa' } as const;

function faultOf(algorithm: Algorithm, key: KeyObject): string | null {
  const expected = algorithm.kind === 'hmac' ? null : KEY_TYPES[algorithm.kind];
  if (key.asymmetricKeyType !== expected) return `is a public key of the type ${key.asymmetricKeyType}`;
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (expected === 'ec' && namedCurve !== 'prime256v1') return `is a public key on the curve ${namedCurve}`;
  return expected === 'rsa' && modulusLength < MIN_RSA_BITS ? `is an RSA key of only ${modulusLength} bits` : null;
}

function describeUnusable(scheme: SignatureScheme, what: string): UnusableSecret {
  return { ok: false, message: `The secret for ${scheme.title} ${what}.`, hint: describeSecret(scheme) };
}

/** How to paste the secret of a scheme: one sentence for people. */
function describeSecret(scheme: SignatureScheme): string {
  const forms = scheme.keys.filter((key) => key.decode !== 'text' && (key.prefix !== '' || key.decode !== 'base64'));
  if (forms.length === 0) return `Paste the whole secret exactly as ${scheme.title} shows it.`;
  return `Paste the secret exactly as the sender shows it: ${forms.map(describeForm).reverse().join(', or ')}.`;
}

const KEY_NAMES = { ed25519: 'Ed25519', 'ecdsa-p256': 'P-256', rsa: 'RSA', hmac: 'HMAC' } as const;

function describeForm({ prefix, decode, minBytes, maxBytes, algorithm }: KeyForm): string {
  if (decode === 'spki') return `the public key (${KEY_NAMES[algorithm.kind]}) as PEM or as one line of base64`;
  const size = minBytes === maxBytes ? `${minBytes}` : `${minBytes} to ${maxBytes}`;
  return `${prefix === '' ? '' : `\`${prefix}\` and `}the ${decode} of ${size} bytes`;
}

/** The characters that have a meaning in HTML, by name or by number. One pass, so that nothing is decoded twice. */
const ENTITY = /&(?:(lt|gt|amp|quot)|#0*(34|38|39|60|62)|#[xX]0*(22|26|27|3[cCeE]));/g;

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

/** Decodes only the entities that WordPress decodes in a secret (`wp_specialchars_decode` with both quotes). */
export function unescapeHtml(text: string): string {
  return text.replace(ENTITY, (_, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return NAMED[name]!;
    return String.fromCharCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
