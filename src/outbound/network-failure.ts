import { ADDRESS_REJECTED } from './address-policy.ts';

/** Errors that occur before a request is sent: the receiver has got nothing. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'UND_ERR_CONNECT_TIMEOUT',
  ADDRESS_REJECTED,
]);

/** Describes why there is no response. Network messages contain addresses, and HTTP messages may contain the request. */
export function describeNetworkFailure(error: unknown): string {
  const code = codeOf(error);
  if (code === ADDRESS_REJECTED) return (error as Error).message;
  return code ?? 'the connection was lost';
}

/** Did the request fail before anything was sent? `false` if that is not known. */
export function isNotConnected(error: unknown): boolean {
  const code = codeOf(error);
  return (
    code !== null && (NOT_CONNECTED.has(code) || /^(?:CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/.test(code))
  );
}

function codeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  // One error for each address of the host.
  return error instanceof AggregateError && error.errors.length > 0 ? codeOf(error.errors[0]) : null;
}
