import { AppError } from '../errors.ts';

/** A limit that a client has reached. */
interface RateLimitPolicy {
  /** Lowercase words with hyphens. */
  name: string;
  quota: number;
  /** Window of the quota in seconds; `null` for a number of concurrent requests. */
  windowSeconds: number | null;
}

/** What a rejected request learns about the limit. */
export interface RateLimitDetails {
  retryAfterSeconds: number;
  /** `null` for a limit that all clients share. */
  policy: RateLimitPolicy | null;
}

/** A `too_many_requests` with what the answer says about the limit. */
export function rateLimited(message: string, details: RateLimitDetails): AppError {
  return new AppError('too_many_requests', message, { details });
}
