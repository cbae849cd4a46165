/**
 * What a team stores as the value of a secret that its sender will bring along. Public knowledge: as long as a webhook
 * is pinned to it, no signature counts.
 */
export const AWAITED_SECRET = 'awaiting-x-hook-secret';

/** Does a webhook of this scheme, with this secret, wait for the handshake that brings the real one? */
export function isAwaited(scheme: string | null, secretText: string): boolean {
  return scheme === 'asana' && secretText === AWAITED_SECRET;
}
