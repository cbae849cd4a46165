import type { RateLimitDetails } from '../../domain/rate-limit.ts';

/**
 * The fields of a response to a client that has used its quota, as draft-ietf-httpapi-ratelimit-headers-11 defines them: lists
 * of strings with parameters (RFC 9651). `t` is the same time as `Retry-After`.
 */
export function describeRateLimit({ retryAfterSeconds, policy }: RateLimitDetails): Record<string, string> {
  const wait = { 'retry-after': String(retryAfterSeconds) };
  if (policy === null) return wait;
  const { name, quota, windowSeconds } = policy;
  const unit = windowSeconds === null ? 'qu="concurrent-requests"' : `w=${windowSeconds}`;
  return {
    ...wait,
    'ratelimit-policy': `"${name}";q=${quota};${unit}`,
    ratelimit: `"${name}";r=0;t=${retryAfterSeconds}`,
  };
}
