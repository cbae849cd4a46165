import { REQUEST_WINDOW_MS } from '../../../domain/messages/alert-rules.ts';

/** The requests of 10 seconds are counted together. */
const BUCKET_MS = 10_000;
const MAX_WEBHOOKS = 10_000;

/** A webhook whose requests are counted. */
export interface TalliedWebhook {
  factory: string;
  uid: string;
  name: string;
}

export type TalliedKind = 'rejected' | 'limited';

interface Counted {
  webhook: TalliedWebhook;
  /** Counts by the time in whole buckets. */
  buckets: Map<number, number>;
}

/**
 * Counts rejected and rate-limited requests of each webhook in the last 5 minutes. Only webhooks with such requests take
 * memory. The first term and each later one note the requests of the log.
 */
export class RequestTally {
  readonly #monotonicMs: () => number;
  readonly #counted: Record<TalliedKind, Map<string, Counted>> = { rejected: new Map(), limited: new Map() };

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** @param agoMs how long ago the requests were received */
  note(kind: TalliedKind, webhook: TalliedWebhook, count: number, agoMs = 0): void {
    const all = this.#counted[kind];
    const { buckets } = all.get(webhook.uid) ?? { buckets: new Map<number, number>() };
    if (!all.has(webhook.uid) && all.size >= MAX_WEBHOOKS) return;
    const bucket = this.#bucket(agoMs);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + count);
    all.set(webhook.uid, { webhook, buckets });
  }

  /** Forgets all requests. */
  clear(): void {
    for (const counted of Object.values(this.#counted)) counted.clear();
  }

  /** Webhooks with at least this number of requests in the last 5 minutes. */
  list(kind: TalliedKind, threshold: number): { webhook: TalliedWebhook; count: number }[] {
    const all = this.#counted[kind];
    const oldest = this.#bucket() - REQUEST_WINDOW_MS / BUCKET_MS;
    return [...all].flatMap(([uid, { webhook, buckets }]) => {
      for (const bucket of buckets.keys()) if (bucket <= oldest) buckets.delete(bucket);
      if (buckets.size === 0) all.delete(uid);
      const count = [...buckets.values()].reduce((sum, part) => sum + part, 0);
      return count > 0 && count >= threshold ? [{ webhook, count }] : [];
    });
  }

  #bucket(agoMs = 0): number {
    return Math.floor((this.#monotonicMs() - agoMs) / BUCKET_MS);
  }
}
