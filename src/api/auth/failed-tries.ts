import { AppError } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { SlidingWindow } from '../../core/time/sliding-window.ts';

/** Callers whose failures are counted at one moment; beyond it the one seen longest ago is forgotten. */
const MAX_CALLERS = 10_000;

/** How many failures are let pass in which time. */
export interface FailureBudget {
  limit: number;
  windowMs: number;
}

/** Counts failed tries to authenticate by a key, such as the client's address. */
export class FailedTries {
  readonly #budget: FailureBudget;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #windows = new Map<string, SlidingWindow>();

  constructor(budget: FailureBudget, clock: Pick<Clock, 'monotonicMs'>) {
    this.#budget = budget;
    this.#clock = clock;
  }

  /** Counts one; throws `too_many_requests` where the key has had all of its failures. */
  charge(key: string): void {
    refuseFor(this.note(key));
  }

  /** Counts one; answers with the milliseconds until the key may have another, where it has had all. */
  note(key: string): number {
    const window = this.#windows.get(key) ?? new SlidingWindow(this.#budget.limit, this.#budget.windowMs);
    this.#windows.delete(key);
    this.#windows.set(key, window);
    if (this.#windows.size > MAX_CALLERS) this.#windows.delete(this.#windows.keys().next().value!);
    return window.admit(this.#clock.monotonicMs());
  }

  /** Throws `too_many_requests` where the key has had all of its failures; counts nothing. */
  check(key: string): void {
    refuseFor(this.#windows.get(key)?.waitMs(this.#clock.monotonicMs()) ?? 0);
  }
}

function refuseFor(waitMs: number): void {
  if (waitMs === 0) return;
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  throw new AppError('too_many_requests', `Too many failed tries. Try again in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  });
}
