import type { AuthReason } from './auth-reasons.ts';
import type { KeyForm, Scheme } from './schemes.ts';

/** One entry of a signature header. */
export interface Entry {
  /** `null` where the scheme has no labels. */
  label: string | null;
  value: string;
}

/** A reason with its particulars. Particulars never repeat what the sender wrote, only counts. */
export interface Refusal {
  ok: false;
  reason: AuthReason;
  detail: string | null;
}

/** More than any rotation needs; bounds the work that a stranger's header with many Ed25519 signatures can cause. */
export const MAX_SIGNATURES = 16;

/**
 * Cuts a signature header into its entries. Entries without the scheme's separator carry no label and are left out.
 * Cut by positions, not by `split` and `trim`: their intermediate texts cost a fifth of the check of a small body.
 */
export function readEntries({ entrySeparator, labelSeparator }: Scheme, header: string): Entry[] {
  if (entrySeparator === null) return keepEntry([], labelSeparator, header);
  const entries: Entry[] = [];
  for (let start = 0; start <= header.length; ) {
    const found = header.indexOf(entrySeparator, start);
    const end = found < 0 ? header.length : found;
    keepEntry(entries, labelSeparator, cutTrimmed(header, start, end));
    start = end + 1;
  }
  return entries;
}

/** Trims HTTP's white space only: `trim` would also take bytes such as 0xa0, and with them junk for part of a signature. */
function cutTrimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function keepEntry(entries: Entry[], separator: string | null, text: string): Entry[] {
  if (separator === null) {
    entries.push({ label: null, value: text });
    return entries;
  }
  const at = text.indexOf(separator);
  if (at >= 0) entries.push({ label: text.slice(0, at), value: text.slice(at + separator.length) });
  return entries;
}

/**
 * The signatures in a header that are under the key's label and well formed, as the text they came in; those under
 * other labels do not count. Where none is left, the first that is not well formed says why.
 */
export function readSignatures(
  entries: Entry[],
  scheme: Scheme,
  form: KeyForm,
): { ok: true; signatures: string[] } | Refusal {
  const length = signatureLength(scheme, form);
  const signatures: string[] = [];
  let fault: string | null = null;
  let ours = 0;
  for (const { label, value } of entries) {
    if (label !== form.label) continue;
    ours++;
    const wrong = value === '' ? null : faultOf(value, scheme.encoding, length);
    if (value !== '' && wrong === null) signatures.push(value);
    fault ??= wrong;
  }
  if (ours === 0) return malformed(`wrong prefix: no \`${form.label}${scheme.labelSeparator}\` before a signature`);
  if (ours > MAX_SIGNATURES) return malformed(`more than ${MAX_SIGNATURES} signatures`);
  if (signatures.length > 0) return { ok: true, signatures };
  return fault === null ? { ok: false, reason: 'missing_credential', detail: null } : malformed(fault);
}

function malformed(detail: string): Refusal {
  return { ok: false, reason: 'malformed_signature', detail };
}

const HASH_BYTES = { sha1: 20, sha256: 32 } as const;

/** Characters that a signature under this key has in the scheme's encoding. */
export function signatureLength({ encoding }: Scheme, { algorithm }: KeyForm): number {
  const bytes = algorithm.kind === 'ed25519' ? 64 : HASH_BYTES[algorithm.hash];
  return encoding === 'hex' ? bytes * 2 : Math.ceil(bytes / 3) * 4;
}

const ALPHABETS = { hex: /^[0-9a-f]+$/, base64: /^[A-Za-z0-9+/]+={0,2}$/ } as const;

/**
 * What is wrong with the form of a presented signature: the whole value has to be in the alphabet (hex in lowercase, as
 * every provider sends it) and of the right length. `null` where nothing is.
 */
function faultOf(value: string, encoding: 'hex' | 'base64', length: number): string | null {
  if (value.length !== length) return `wrong length: ${value.length} characters of ${encoding} instead of ${length}`;
  return ALPHABETS[encoding].test(value) ? null : `not ${encoding}`;
}
