import type { KeyForm, SignatureScheme } from '../scheme.ts';
import { reject, type SignatureRejection } from '../verification.ts';

/** One entry of a signature header. */
export interface SignatureEntry {
  /** `null` if the scheme has no labels. */
  label: string | null;
  value: string;
}

/** The number of characters that a signature may have. */
export interface Lengths {
  min: number;
  max: number;
}

/**
 * More than any rotation needs. Bounds the work that a header with many public-key signatures can cause. For an HMAC,
 * all signatures are compared with one digest, so their number does not matter.
 */
export const MAX_KEY_SIGNATURES = 16;

type Form = Pick<SignatureScheme, 'entrySeparator' | 'labelSeparator' | 'encoding'>;

/**
 * Splits a signature header into its entries, without surrounding spaces. Entries without the scheme's separator have no
 * label and are skipped. One pass that copies only the entries: `split` and `trim` take twice as long.
 */
export function readEntries({ entrySeparator, labelSeparator }: Form, header: string): SignatureEntry[] {
  const entries: SignatureEntry[] = [];
  if (entrySeparator === null) {
    keepEntry(entries, labelSeparator, header, 0, header.length);
    return entries;
  }
  for (let start = 0; start <= header.length; ) {
    const next = header.indexOf(entrySeparator, start);
    const end = next === -1 ? header.length : next;
    keepEntry(entries, labelSeparator, header, skipBlanks(header, start, end), skipBlanksBefore(header, start, end));
    start = end + entrySeparator.length;
  }
  return entries;
}

/** Only white space of HTTP: `trim` would also remove bytes such as 0xa0, and accept junk around a signature. */
function skipBlanks(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function skipBlanksBefore(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function keepEntry(
  entries: SignatureEntry[],
  separator: string | null,
  header: string,
  start: number,
  end: number,
): void {
  if (separator === null) {
    entries.push({ label: null, value: header.slice(start, end) });
    return;
  }
  const at = header.indexOf(separator, start);
  if (at < 0 || at + separator.length > end) return;
  entries.push({ label: header.slice(start, at), value: header.slice(at + separator.length, end) });
}

/**
 * The well-formed signatures under the key's label, as received. Signatures under other labels do not count. If none is
 * well formed, the rejection describes the first one.
 */
export function readSignatures(
  entries: SignatureEntry[],
  scheme: Form,
  form: KeyForm,
  lengths: Lengths,
): { ok: true; signatures: string[] } | SignatureRejection {
  const signatures: string[] = [];
  let count = 0;
  let fault: string | null = null;
  for (const { label, value } of entries) {
    if (label !== form.label) continue;
    count++;
    if (value === '') continue;
    const wrong = faultOf(value, scheme.encoding, lengths);
    if (wrong === null) signatures.push(value);
    fault ??= wrong;
  }
  if (count === 0) return malformed(`wrong prefix: no \`${form.label}${scheme.labelSeparator}\` before a signature`);
  if (form.algorithm.kind !== 'hmac' && signatures.length > MAX_KEY_SIGNATURES) {
    return malformed(`more than ${MAX_KEY_SIGNATURES} signatures`);
  }
  if (signatures.length > 0) return { ok: true, signatures };
  return fault === null ? reject('missing_credential') : malformed(fault);
}

function malformed(detail: string): SignatureRejection {
  return reject('malformed_signature', detail);
}

const HASH_BYTES = { sha1: 20, sha256: 32, sha512: 64 } as const;

/** The number of characters that a signature with this key has in the scheme's encoding. */
export function signatureLengths(
  encoding: 'hex' | 'base64',
  { form: { algorithm }, modulusBytes }: { form: KeyForm; modulusBytes: number },
): Lengths {
  const count = (bytes: number) => (encoding === 'hex' ? bytes * 2 : Math.ceil(bytes / 3) * 4);
  const exactly = (bytes: number) => ({ min: count(bytes), max: count(bytes) });
  if (algorithm.kind === 'hmac') return exactly(HASH_BYTES[algorithm.hash]);
  if (algorithm.kind === 'ed25519') return exactly(64);
  if (algorithm.kind === 'rsa') return exactly(modulusBytes);
  // DER: a sequence of two integers of at most 33 bytes each, without leading zeros.
  return { min: count(8), max: count(72) };
}

const ALPHABETS = { hex: /^[0-9a-f]+$/, base64: /^[A-Za-z0-9+/]+={0,2}$/ } as const;

/**
 * The mistake in the form of a signature: the whole value must be in the alphabet (lowercase hex, as every provider sends
 * it) and have the correct length. `null` if there is none.
 */
function faultOf(value: string, encoding: 'hex' | 'base64', { min, max }: Lengths): string | null {
  if (value.length < min || value.length > max) {
    const expected = min === max ? `${max}` : `${min} to ${max}`;
    return `wrong length: ${value.length} characters of ${encoding} instead of ${expected}`;
  }
  return ALPHABETS[encoding].test(value) ? null : `not ${encoding}`;
}
