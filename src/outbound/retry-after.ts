/** Maximum wait that a server can ask for. */
export const MAX_WAIT_MS = 3_600_000;

/** The wait that the header `Retry-After` asks for, in seconds or as a date; `null` if it is missing or malformed. */
export function readRetryAfter(header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  const waitMs = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(waitMs) ? null : limitWait(waitMs);
}

export function limitWait(waitMs: number): number {
  return Math.min(Math.max(waitMs, 0), MAX_WAIT_MS);
}
