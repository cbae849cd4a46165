import { formatInstant } from '../../domain/time/clock.ts';
import { readRetryAfter } from '../retry-after.ts';
import type { OutboundResponse } from '../send-request.ts';

type Headers = OutboundResponse['headers'];

/** When a limit ends: seconds since 1970 at GitHub and GitLab, milliseconds at Linear. */
const RESET_HEADERS = [
  ['x-ratelimit-reset', 1000],
  ['ratelimit-reset', 1000],
  ['x-ratelimit-requests-reset', 1],
] as const;

export function isRateLimited(status: number, headers: Headers): boolean {
  // GitHub also answers 403.
  const isUsedUp = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined;
  return status === 429 || (status === 403 && isUsedUp);
}

/** One sentence about a used up rate limit. */
export function describeRateLimit(title: string, headers: Headers, nowMs: number): string {
  const endMs = findEnd(headers, nowMs);
  const when = endMs === null ? 'later' : `after ${formatInstant(endMs)}`;
  return `The rate limit of ${title} is used up. Repeat the request ${when}.`;
}

function findEnd(headers: Headers, nowMs: number): number | null {
  const waitMs = readRetryAfter(headers['retry-after'], nowMs);
  if (waitMs !== null) return nowMs + waitMs;
  for (const [name, unitMs] of RESET_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && /^\d{1,13}$/.test(value)) return Number(value) * unitMs;
  }
  return null;
}
