import { AppError } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { KeyedWindows } from '../../core/time/keyed-windows.ts';

/** How many failures are let pass in which time. */
export interface FailureBudget {
  limit: number;
  windowMs: number;
}

/** Counts failed tries to authenticate by a key, such as the client's address. */
export class FailedTries {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #windows: KeyedWindows;

  constructor(budget: FailureBudget, clock: Pick<Clock, 'monotonicMs'>) {
    this.#windows = new KeyedWindows(budget);
    this.#clock = clock;
  }

  /** Counts one; throws `too_many_requests` where the key has had all of its failures. */
  charge(key: string): void {
    refuseFor(this.note(key));
  }

  /** Counts one; answers with the milliseconds until the key may have another, where it has had all. */
  note(key: string): number {
    return this.#windows.admit(key, this.#clock.monotonicMs());
  }

  /** Throws `too_many_requests` where the key has had all of its failures; counts nothing. */
  check(key: string): void {
    refuseFor(this.#windows.waitMs(key, this.#clock.monotonicMs()));
  }
}

function refuseFor(waitMs: number): void {
  if (waitMs === 0) return;
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  throw new AppError('too_many_requests', `Too many failed tries. Try again in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  });
}
