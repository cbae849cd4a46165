import { rateLimited } from '../../domain/network/rate-limit.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { KeyedWindows } from '../../domain/time/keyed-windows.ts';

/** Number of failures that are allowed in a time. */
interface FailureBudget {
  /** As in `RateLimitPolicy`. */
  name: string;
  /** If it changes, the counts start again. */
  readonly limit: number;
  windowMs: number;
}

/** Counts failed attempts to authenticate by a key, such as the client's address. */
export class FailedAttempts {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #budget: FailureBudget;
  readonly #windows: KeyedWindows;

  constructor(budget: FailureBudget, clock: Pick<Clock, 'monotonicMs'>) {
    this.#budget = budget;
    this.#windows = new KeyedWindows(budget);
    this.#clock = clock;
  }

  /** Counts one; throws `too_many_requests` if the key has used all of its failures. */
  charge(key: string): void {
    this.#rejectFor(this.note(key));
  }

  /** Counts one; returns the milliseconds until the key may have another if it has used all, else 0. */
  note(key: string): number {
    return this.#windows.admit(key, this.#clock.monotonicMs());
  }

  /** Throws `too_many_requests` if the key has used all of its failures; counts nothing. */
  check(key: string): void {
    this.#rejectFor(this.#windows.waitMs(key, this.#clock.monotonicMs()));
  }

  #rejectFor(waitMs: number): void {
    if (waitMs === 0) return;
    const { name, limit, windowMs } = this.#budget;
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    const policy = { name, quota: limit, windowSeconds: windowMs / 1000 };
    throw rateLimited(`Too many failed attempts. Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds, policy });
  }
}
