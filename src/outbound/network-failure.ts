import { ADDRESS_REJECTED } from '../platform/address-policy.ts';

/** Describes why there is no response. Network messages contain addresses, and HTTP messages may contain the request. */
export function describeNetworkFailure(error: unknown): string {
  const code = codeOf(error);
  if (code === ADDRESS_REJECTED) return (error as Error).message;
  return code ?? 'the connection was lost';
}

function codeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  // One error for each address of the host.
  return error instanceof AggregateError && error.errors.length > 0 ? codeOf(error.errors[0]) : null;
}
