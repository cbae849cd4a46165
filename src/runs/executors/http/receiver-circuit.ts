import type { Clock } from '../../../domain/time/clock.ts';

/** Number of failed requests in a row after which runs wait in the queue instead of repeating their requests. */
const OPEN_AFTER = 5;
/** First failures of runs that did not come back for this time are forgotten (they were cancelled, for example). */
const FORGET_MS = 24 * 3_600_000;

/**
 * The state of one receiver, shared by all runs of its factory. While the circuit is open, a run whose request fails returns
 * to the queue, where the dispatcher tries one run after another with growing pauses.
 */
export class ReceiverCircuit {
  readonly #clock: Clock;
  #failures = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** When the receiver first failed to execute these attempts, on the monotonic clock. */
  readonly #failingSince = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#failures >= OPEN_AFTER;
  }

  /** Milliseconds for which the receiver asked for a pause. */
  pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.monotonicMs());
  }

  /** A request failed. @param waitMs the pause that the receiver asks for; `null` for none */
  noteFailure(waitMs: number | null): void {
    this.#failures++;
    if (waitMs !== null) this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonicMs() + waitMs);
  }

  /** The receiver works. */
  noteSuccess(): void {
    this.#failures = 0;
  }

  /** The receiver failed to execute this attempt. Returns the milliseconds since it first did. */
  noteFailing(attempt: string): number {
    const now = this.#clock.monotonicMs();
    for (const [other, since] of this.#failingSince) if (now - since > FORGET_MS) this.#failingSince.delete(other);
    const since = this.#failingSince.get(attempt) ?? now;
    this.#failingSince.set(attempt, since);
    return now - since;
  }

  /** The attempt has ended. */
  forget(attempt: string): void {
    this.#failingSince.delete(attempt);
  }
}
