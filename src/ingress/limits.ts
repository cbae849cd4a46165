import { networkOf } from '../core/client-network.ts';
import { SlidingWindow } from '../core/time/sliding-window.ts';

const MINUTE_MS = 60_000;

/** Callers whose failures are counted at one moment; beyond it the one seen longest ago is forgotten. */
const MAX_FAILURE_BUDGETS = 10_000;

export type Admission = { ok: true } | { ok: false; retryAfterSeconds: number };

const ADMITTED: Admission = { ok: true };

/**
 * The delivery rate of each webhook (specification, "Limits") and the budget of failed authentications of each
 * webhook and client address. Outlives snapshots, so that an apply resets no window.
 */
export class RateLimits {
  readonly deliveriesPerMinute: number;
  readonly #failedAuthPerMinute: number;
  readonly #deliveries = new Map<string, SlidingWindow>();
  readonly #failures = new Map<string, SlidingWindow>();

  constructor(limits: { deliveriesPerMinute: number; failedAuthPerMinute: number }) {
    this.deliveriesPerMinute = limits.deliveriesPerMinute;
    this.#failedAuthPerMinute = limits.failedAuthPerMinute;
  }

  /** @param uid UID of a webhook that exists, so that the table is bounded by the number of webhooks */
  admitDelivery(uid: string, nowMs: number): Admission {
    let window = this.#deliveries.get(uid);
    if (window === undefined) {
      window = new SlidingWindow(this.deliveriesPerMinute, MINUTE_MS);
      this.#deliveries.set(uid, window);
    }
    return toAdmission(window.admit(nowMs));
  }

  /** Charges one failure. A valid credential never comes here: it is not refused for somebody else's failures. */
  admitFailure(uid: string, clientAddress: string, nowMs: number): Admission {
    const key = `${uid} ${networkOf(clientAddress)}`;
    const window = this.#failures.get(key) ?? new SlidingWindow(this.#failedAuthPerMinute, MINUTE_MS);
    this.#failures.delete(key);
    this.#failures.set(key, window);
    if (this.#failures.size > MAX_FAILURE_BUDGETS) this.#failures.delete(this.#failures.keys().next().value!);
    return toAdmission(window.admit(nowMs));
  }
}

function toAdmission(waitMs: number): Admission {
  return waitMs === 0 ? ADMITTED : { ok: false, retryAfterSeconds: Math.ceil(waitMs / 1000) };
}
