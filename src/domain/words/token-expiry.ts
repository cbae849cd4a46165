const DAY_MS = 86_400_000;

/** A token is reported for this time before it expires. */
const NOTICE_MS = 14 * DAY_MS;

/** The end of a token as wall time; `null` if it never expires. */
interface Expiring {
  expiresAt: number | null;
}

export function hasExpired({ expiresAt }: Expiring, nowMs: number): boolean {
  return expiresAt !== null && nowMs >= expiresAt;
}

/** Whether the token still works and expires soon. */
export function expiresSoon({ expiresAt }: Expiring, nowMs: number): boolean {
  return expiresAt !== null && nowMs < expiresAt && expiresAt - nowMs <= NOTICE_MS;
}
