import { networkOf } from '../core/client-network.ts';
import { KeyedWindows } from '../core/time/keyed-windows.ts';
import { SlidingWindow } from '../core/time/sliding-window.ts';

const MINUTE_MS = 60_000;

/** Maximum number of webhooks whose rate is counted; more than any daemon has. */
const MAX_WEBHOOKS = 100_000;

export type Admission = { ok: true } | { ok: false; retryAfterSeconds: number };

const ADMITTED: Admission = { ok: true };

/**
 * The delivery rate of each webhook (specification, "Limits") and the budget of failed authentications of each webhook
 * and client address. Independent of snapshots, so that an apply resets no window.
 */
export class RateLimits {
  readonly deliveriesPerMinute: number;
  readonly failedAuthPerMinute: number;
  readonly #deliveries = new Map<string, SlidingWindow>();
  readonly #failures: KeyedWindows;

  constructor(limits: { deliveriesPerMinute: number; failedAuthPerMinute: number }) {
    this.deliveriesPerMinute = limits.deliveriesPerMinute;
    this.failedAuthPerMinute = limits.failedAuthPerMinute;
    this.#failures = new KeyedWindows({ limit: limits.failedAuthPerMinute, windowMs: MINUTE_MS });
  }

  /** @param uid UID of a webhook that exists, so that the table is bounded by the number of webhooks */
  admitDelivery(uid: string, nowMs: number): Admission {
    return toAdmission((this.#deliveries.get(uid) ?? this.#addWebhook(uid)).admit(nowMs));
  }

  #addWebhook(uid: string): SlidingWindow {
    const window = new SlidingWindow(this.deliveriesPerMinute, MINUTE_MS);
    if (this.#deliveries.size === MAX_WEBHOOKS) this.#deliveries.delete(this.#deliveries.keys().next().value!);
    this.#deliveries.set(uid, window);
    return window;
  }

  /** Charges one failure. Valid credentials are never charged, so failures of other clients do not reject them. */
  admitFailure(uid: string, clientAddress: string, nowMs: number): Admission {
    const key = `${uid} ${networkOf(clientAddress)}`;
    return toAdmission(this.#failures.admit(key, nowMs));
  }
}

function toAdmission(waitMs: number): Admission {
  return waitMs === 0 ? ADMITTED : { ok: false, retryAfterSeconds: Math.ceil(waitMs / 1000) };
}
