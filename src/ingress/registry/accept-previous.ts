import type { SignedRequest, VerifyResult } from '../../definitions/signature/verification.ts';
import type { Credential } from './live-webhook.ts';

/**
 * A credential that is also satisfied by the previous one until `until` (wall time). The previous one is checked only if
 * the current one rejects the request, so it costs nothing for senders that use the new secret.
 */
export function acceptPrevious(current: Credential, previous: Credential, until: number): Credential {
  if ('unreadable' in current || 'unreadable' in previous) return current;
  if ('verify' in current) {
    if (!('verify' in previous)) return current;
    const retry = (request: SignedRequest, rejected: VerifyResult) =>
      rejected.ok || request.nowMs >= until ? rejected : prefer(previous.verify(request), rejected);
    return {
      mode: 'signature',
      verify: (request) => {
        const verified = current.verify(request);
        return verified instanceof Promise
          ? verified.then((result) => retry(request, result))
          : retry(request, verified);
      },
    };
  }
  if ('verify' in previous) return current;
  return {
    mode: current.mode,
    accepts: (presented, request) =>
      current.accepts(presented, request) || (request.nowMs < until && previous.accepts(presented, request)),
  };
}

/** The result with the previous secret if it verifies. Otherwise the reason of the current one counts. */
function prefer(
  previous: VerifyResult | Promise<VerifyResult>,
  rejected: VerifyResult,
): VerifyResult | Promise<VerifyResult> {
  if (previous instanceof Promise) return previous.then((result) => (result.ok ? result : rejected));
  return previous.ok ? previous : rejected;
}
