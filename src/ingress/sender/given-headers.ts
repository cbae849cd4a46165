import { isCredentialHeader } from '../../definitions/signature/schemes/credential-headers.ts';
import { encodeHeaderValue } from '../../definitions/signature/sign/delivery-parts.ts';
import { AppError } from '../../domain/errors.ts';

/** The connection decides these headers, not the sender. */
const TRANSPORT_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** May a request carry this header? The connection decides the others. */
export function isCarriedHeader(name: string): boolean {
  return HEADER_NAME.test(name) && !TRANSPORT_HEADERS.has(name.toLowerCase());
}

/** May a sender be asked to send this header? Credentials come from the secret of the webhook only. */
export function isSendableHeader(name: string): boolean {
  return isCarriedHeader(name) && !isCredentialHeader(name);
}

/** Headers that somebody wants to be sent, encoded. Throws `bad_request` for one that cannot be. */
export function encodeGivenHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const encoded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!isSendableHeader(name)) {
      const why = 'it is not a header name, it belongs to the connection, or it carries a credential';
      throw new AppError('bad_request', `The header ${JSON.stringify(name)} cannot be sent: ${why}.`);
    }
    encoded[name] = encodeHeaderValue(name, value);
  }
  return encoded;
}

/** Joins headers regardless of the case of their names; those of `winning` win. */
export function mergeHeaders(
  headers: Readonly<Record<string, string>>,
  winning: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = new Set(Object.keys(winning).map((name) => name.toLowerCase()));
  const others = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(others), ...winning };
}
