import type { RequestHeaders } from '../../../domain/deliveries/headers.ts';
import type { RejectedRequest, RequestVariant, SpecialMistake } from '../rejected-request.ts';
import type { KeyForm, Scheme, SignatureScheme } from '../scheme.ts';

/** A rejected request, with the scheme it was checked under. */
export interface DiagnosedRequest extends RejectedRequest {
  scheme: Scheme;
}

/** The request with one mistake undone, perhaps under another scheme. */
export interface SchemeVariant extends RequestVariant {
  scheme?: Scheme;
}

/** A usual mistake, and every way to undo it. */
export interface Mistake extends Omit<SpecialMistake, 'vary'> {
  /** The only scheme under which the mistake happens; omitted if it happens under several. */
  of?: string;
  vary(request: DiagnosedRequest): Iterable<SchemeVariant>;
}

/** The form of the secret if it is the key of an HMAC; `null` for every other scheme. */
export function findHmacForm(scheme: Scheme, secretText: string): KeyForm | null {
  if (scheme.family !== 'signature') return null;
  const hmacs = scheme.keys.filter((key) => key.algorithm.kind === 'hmac');
  return hmacs.find((key) => secretText.startsWith(key.prefix)) ?? hmacs[0] ?? null;
}

/**
 * The scheme with exactly these bytes as its key. They are passed as hex, because a mistaken sender's key would fail the
 * checks of a pasted secret (no line break at its end).
 */
export function withKeyBytes(
  scheme: SignatureScheme,
  form: KeyForm,
  bytes: Buffer,
): { scheme: Scheme; secretText: string } {
  const key: KeyForm = { ...form, prefix: '', decode: 'hex', minBytes: 1, maxBytes: Number.POSITIVE_INFINITY };
  return { scheme: { ...scheme, keys: [key], rejectedSecrets: [] }, secretText: bytes.toString('hex') };
}

/** The same headers, with the values of the named ones rewritten. */
export function mapHeaders(
  headers: RequestHeaders,
  names: readonly string[],
  rewrite: (value: string) => string,
): RequestHeaders {
  return {
    get(name) {
      const value = headers.get(name);
      return value === undefined || !names.includes(name) ? value : rewrite(value);
    },
  };
}
