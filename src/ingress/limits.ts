import { networkOf } from '../domain/network/client-address.ts';
import type { AdmissionKind, Counts, SharedAdmissions } from '../domain/ports/replicas.ts';
import { KeyedWindows } from '../domain/time/keyed-windows.ts';
import { SlidingWindow } from '../domain/time/sliding-window.ts';
import type { LiveWebhook } from './registry/live-webhook.ts';

const MINUTE_MS = 60_000;

/** Maximum number of webhooks whose rate is counted; more than any daemon has. */
const MAX_WEBHOOKS = 100_000;

/** `undecided`: this replica has used its share, and other replicas may have used the rest. */
export type Admission = { ok: true } | { ok: false; retryAfterSeconds: number; undecided: boolean };

const ADMITTED: Admission = { ok: true };
const UNDECIDED: Admission = { ok: false, retryAfterSeconds: 1, undecided: true };

/** The options of the configuration. Webhooks that serve a provider have a separate limit of deliveries. */
export const LIMITS_PER_MINUTE = ['deliveriesPerMinute', 'providerDeliveriesPerMinute', 'failedAuthPerMinute'] as const;
export type LimitsPerMinute = { readonly [limit in (typeof LIMITS_PER_MINUTE)[number]]: number };

/** What decides on the limit of a webhook. */
type LimitedWebhook = Pick<LiveWebhook, 'uid' | 'provider'>;

/** A daemon without others. */
const ALONE: SharedAdmissions = {
  replicas: 1,
  countUnseen: () => 0,
  note: () => {},
  untilSeen: async () => {},
};

/**
 * The delivery rate of each webhook (specification, "Limits") and the budget of failed authentications of each webhook
 * and client address. Independent of snapshots, so that an apply resets no window.
 *
 * Several replicas share a limit: each one counts what the others admitted as soon as it knows. Until the others know what
 * this replica admitted, it admits no more than its share of what was left.
 */
export class RateLimits {
  readonly perMinute: LimitsPerMinute;
  readonly #deliveries = new Map<string, SlidingWindow>();
  readonly #failures: KeyedWindows;
  readonly #shared: SharedAdmissions;

  constructor(perMinute: LimitsPerMinute, shared: SharedAdmissions = ALONE) {
    this.#shared = shared;
    this.perMinute = perMinute;
    this.#failures = new KeyedWindows({ limit: perMinute.failedAuthPerMinute, windowMs: MINUTE_MS });
  }

  /** The number of deliveries that the webhook may accept in a minute (provider triggers, "Rules around the filters"). */
  limitOf({ provider }: LimitedWebhook): number {
    return provider === null ? this.perMinute.deliveriesPerMinute : this.perMinute.providerDeliveriesPerMinute;
  }

  /** @param webhook one that exists, so that the table is bounded by the number of webhooks */
  admitDelivery(webhook: LimitedWebhook, nowMs: number): Admission {
    const window = this.#windowOf(webhook.uid, this.limitOf(webhook));
    if (!this.#hasShare('deliveries', webhook.uid, window.countFree(nowMs))) return UNDECIDED;
    return conclude(window.admit(nowMs));
  }

  #windowOf(uid: string, limit: number): SlidingWindow {
    const known = this.#deliveries.get(uid);
    if (known?.limit === limit) return known;
    // An apply may have changed what the webhook serves.
    const window = known?.withLimit(limit) ?? new SlidingWindow(limit, MINUTE_MS);
    if (known === undefined && this.#deliveries.size === MAX_WEBHOOKS)
      this.#deliveries.delete(this.#deliveries.keys().next().value!);
    this.#deliveries.set(uid, window);
    return window;
  }

  /** Charges one failure. Valid credentials are never charged, so failures of other clients do not reject them. */
  admitFailure(uid: string, clientAddress: string, nowMs: number): Admission {
    const key = `${uid} ${networkOf(clientAddress)}`;
    if (!this.#hasShare('failures', key, this.#failures.countFree(key, nowMs))) return UNDECIDED;
    return conclude(this.#failures.admit(key, nowMs));
  }

  /** Resolves when the other replicas have counted what this one admitted. Then `admitDelivery` can decide again. */
  untilSeen(): Promise<void> {
    return this.#shared.untilSeen();
  }

  /** Counts what other replicas admitted. */
  noteElsewhere(kind: AdmissionKind, counts: Counts, nowMs: number): void {
    for (const [key, count] of counts) {
      if (kind === 'failures') this.#failures.note(key, count, nowMs);
      else this.#windowOf(key, this.#deliveries.get(key)?.limit ?? this.#largest).note(count, nowMs);
    }
  }

  /** For a webhook of which only the UID is known. Its first delivery here sets the limit. */
  get #largest(): number {
    return Math.max(this.perMinute.deliveriesPerMinute, this.perMinute.providerDeliveriesPerMinute);
  }

  /**
   * Counts the admission that follows, unless this replica has used its share. If nothing is free, the window rejects.
   *
   * @param free number that may be admitted as far as this replica knows
   */
  #hasShare(kind: AdmissionKind, key: string, free: number): boolean {
    if (free === 0) return true;
    const { replicas } = this.#shared;
    const unseen = this.#shared.countUnseen(kind, key);
    const share = Math.max(1, Math.floor((free + unseen) / replicas));
    const isWithin = replicas === 1 || unseen < share;
    if (isWithin) this.#shared.note(kind, key, replicas > 1 && unseen * 2 >= share);
    return isWithin;
  }
}

function conclude(waitMs: number): Admission {
  if (waitMs > 0) return { ok: false, retryAfterSeconds: Math.ceil(waitMs / 1000), undecided: false };
  return ADMITTED;
}
