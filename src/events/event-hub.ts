import type { LiveEvent } from '../core/live-event.ts';
import type { EventFeed, NumberedEvent, Subscription } from '../core/ports/event-feed.ts';
import type { Clock } from '../core/time/clock.ts';

/** Events kept for those who were cut off. */
const MAX_KEPT = 1_000;
/** For so long after the last listener has gone events are still kept for its return. */
const GAP_MS = 60_000;

type Listener = (event: NumberedEvent) => void;

/** Tells what happens to whoever listens. While nobody does, an event costs a number and nothing is made of it. */
export class EventHub implements EventFeed {
  readonly #clock: Clock;
  /** Tells the numbers of this life of the daemon from those of another. */
  readonly #epoch: string;
  readonly #listeners = new Set<Listener>();
  /** The newest events without a gap between them, oldest first. */
  #kept: NumberedEvent[] = [];
  #newest = 0;
  #leftAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, epoch: string) {
    this.#clock = clock;
    this.#epoch = epoch;
  }

  /** Is there anybody to tell? Asked before anything is done for an event. */
  isHeard(): boolean {
    return this.#listeners.size > 0 || this.#clock.monotonicMs() - this.#leftAtMs < GAP_MS;
  }

  /** Something happened that is not told: who was cut off before it has a gap that cannot be made up for. */
  miss(): void {
    this.#newest += 1;
    this.#kept = [];
  }

  publish(event: LiveEvent): void {
    if (!this.isHeard()) {
      this.miss();
      return;
    }
    this.#newest += 1;
    const numbered = { id: this.#format(this.#newest), event };
    this.#kept.push(numbered);
    if (this.#kept.length >= 2 * MAX_KEPT) this.#kept = this.#kept.slice(-MAX_KEPT);
    for (const listener of [...this.#listeners]) this.#tell(listener, numbered);
  }

  position(): string {
    return this.#format(this.#newest);
  }

  subscribe(after: string | null, listener: Listener): Subscription {
    this.#listeners.add(listener);
    const missed = after === null ? [] : this.#findAfter(after);
    return { missed, position: this.position(), end: () => this.#leave(listener) };
  }

  #tell(listener: Listener, event: NumberedEvent): void {
    try {
      listener(event);
    } catch {
      // Events are told on the way of a delivery, which must not end with a listener's trouble.
      this.#leave(listener);
    }
  }

  #leave(listener: Listener): void {
    if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#leftAtMs = this.#clock.monotonicMs();
  }

  #format(number: number): string {
    return `${this.#epoch}-${number}`;
  }

  #findAfter(id: string): NumberedEvent[] | null {
    if (id === this.position()) return [];
    const index = this.#kept.findIndex((event) => event.id === id);
    if (index !== -1) return this.#kept.slice(index + 1);
    // The event before the oldest kept one is as good a place to begin.
    const before = this.#format(this.#newest - this.#kept.length);
    return id === before && this.#kept.length > 0 ? [...this.#kept] : null;
  }
}
