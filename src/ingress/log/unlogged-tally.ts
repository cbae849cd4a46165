import type { NewUnlogged, UnloggedCounts } from '../../domain/ports/delivery-log.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { UnloggedReason } from '../../domain/words/unlogged-reasons.ts';

/** The webhook of an unlogged request. */
export interface UnloggedWebhook {
  /** `AppliedWebhook.ref`. */
  ref: number;
  factory: string;
  name: string;
}

interface Tally {
  count: number;
  /** Wall time in milliseconds. */
  lastAt: number;
}

type TalliesByReason = Map<UnloggedReason, Tally>;

export interface UnloggedTallyParts {
  counts: Pick<UnloggedCounts, 'add'>;
  clock: Pick<Clock, 'wallMs'>;
  onCounted(webhook: UnloggedWebhook, reason: UnloggedReason, count: number): void;
  /** Called when counts could not be stored. They are kept for the next flush. */
  onFailure(error: unknown): void;
}

/**
 * Counts requests that get no entry in the delivery log. A request only changes a number in memory. `flush` stores the
 * numbers. Only webhooks that the storage knows are counted, so senders cannot make the tables grow.
 */
export class UnloggedTally {
  readonly #parts: UnloggedTallyParts;
  #pending = new Map<number, TalliesByReason>();
  #flushing: Promise<void> = Promise.resolve();

  constructor(parts: UnloggedTallyParts) {
    this.#parts = parts;
  }

  add(webhook: UnloggedWebhook, reason: UnloggedReason, count = 1): void {
    this.#tally(webhook.ref, reason, count, this.#parts.clock.wallMs());
    this.#parts.onCounted(webhook, reason, count);
  }

  /** Stores what was counted. Resolves also if the storage fails. Flushes follow one another. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#store());
    return this.#flushing;
  }

  async #store(): Promise<void> {
    const unlogged = this.#takePending();
    if (unlogged.length === 0) return;
    try {
      await this.#parts.counts.add(unlogged);
    } catch (error) {
      for (const { webhook, reason, count, lastAt } of unlogged) {
        this.#tally(webhook, reason as UnloggedReason, count, lastAt);
      }
      this.#parts.onFailure(error);
    }
  }

  #takePending(): NewUnlogged[] {
    const pending = this.#pending;
    if (pending.size === 0) return [];
    this.#pending = new Map();
    return [...pending].flatMap(([webhook, tallies]) =>
      [...tallies].map(([reason, { count, lastAt }]) => ({ webhook, reason, count, lastAt })),
    );
  }

  #tally(webhook: number, reason: UnloggedReason, count: number, at: number): void {
    let tallies = this.#pending.get(webhook);
    if (tallies === undefined) {
      tallies = new Map();
      this.#pending.set(webhook, tallies);
    }
    const tally = tallies.get(reason);
    if (tally === undefined) tallies.set(reason, { count, lastAt: at });
    else {
      tally.count += count;
      tally.lastAt = Math.max(tally.lastAt, at);
    }
  }
}
