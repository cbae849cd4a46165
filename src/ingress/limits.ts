import { networkOf } from '../core/client-network.ts';
import type { AdmissionKind, Counts } from '../core/ports/replicas.ts';
import { KeyedWindows } from '../core/time/keyed-windows.ts';
import { SlidingWindow } from '../core/time/sliding-window.ts';

const MINUTE_MS = 60_000;

/** Maximum number of webhooks whose rate is counted; more than any daemon has. */
const MAX_WEBHOOKS = 100_000;

export type Admission = { ok: true } | { ok: false; retryAfterSeconds: number };

const ADMITTED: Admission = { ok: true };

/** Called for each admission, so that other replicas can count it. */
export type OnAdmitted = (kind: AdmissionKind, key: string) => void;

/**
 * The delivery rate of each webhook (specification, "Limits") and the budget of failed authentications of each webhook
 * and client address. Independent of snapshots, so that an apply resets no window.
 */
export class RateLimits {
  readonly deliveriesPerMinute: number;
  readonly failedAuthPerMinute: number;
  readonly #deliveries = new Map<string, SlidingWindow>();
  readonly #failures: KeyedWindows;
  readonly #onAdmitted: OnAdmitted;

  constructor(limits: { deliveriesPerMinute: number; failedAuthPerMinute: number }, onAdmitted: OnAdmitted = () => {}) {
    this.#onAdmitted = onAdmitted;
    this.deliveriesPerMinute = limits.deliveriesPerMinute;
    this.failedAuthPerMinute = limits.failedAuthPerMinute;
    this.#failures = new KeyedWindows({ limit: limits.failedAuthPerMinute, windowMs: MINUTE_MS });
  }

  /** @param uid UID of a webhook that exists, so that the table is bounded by the number of webhooks */
  admitDelivery(uid: string, nowMs: number): Admission {
    return this.#note('deliveries', uid, this.#windowOf(uid).admit(nowMs));
  }

  #windowOf(uid: string): SlidingWindow {
    const known = this.#deliveries.get(uid);
    if (known !== undefined) return known;
    const window = new SlidingWindow(this.deliveriesPerMinute, MINUTE_MS);
    if (this.#deliveries.size === MAX_WEBHOOKS) this.#deliveries.delete(this.#deliveries.keys().next().value!);
    this.#deliveries.set(uid, window);
    return window;
  }

  /** Charges one failure. Valid credentials are never charged, so failures of other clients do not reject them. */
  admitFailure(uid: string, clientAddress: string, nowMs: number): Admission {
    const key = `${uid} ${networkOf(clientAddress)}`;
    return this.#note('failures', key, this.#failures.admit(key, nowMs));
  }

  /** Counts what other replicas admitted. */
  noteElsewhere(kind: AdmissionKind, counts: Counts, nowMs: number): void {
    for (const [key, count] of counts) {
      if (kind === 'failures') this.#failures.note(key, count, nowMs);
      else this.#windowOf(key).note(count, nowMs);
    }
  }

  #note(kind: AdmissionKind, key: string, waitMs: number): Admission {
    if (waitMs > 0) return { ok: false, retryAfterSeconds: Math.ceil(waitMs / 1000) };
    this.#onAdmitted(kind, key);
    return ADMITTED;
  }
}
