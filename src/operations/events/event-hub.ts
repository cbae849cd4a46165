// Live events for the dashboard and `--watch`. In: happenings, which `feed-events.ts` makes events of, as far as somebody
// listens. Out: numbered events for streams (`api/events/event-stream.ts`), which continue after a reconnect.

import type { EventFeed, LiveEvent, NumberedEvent, Subscription } from '../../domain/ports/event-feed.ts';
import type { Clock } from '../../domain/time/clock.ts';

/** Number of events that are kept for listeners that reconnect. */
const MAX_KEPT = 1_000;
/** Time for which events are kept after the last listener has disconnected. */
const GAP_MS = 60_000;

type Listener = (event: NumberedEvent) => void;

/** Sends events to all listeners. Without listeners, an event only increases a number. */
export class EventHub implements EventFeed {
  readonly #clock: Clock;
  /** Distinguishes the numbers of this process from those of an earlier one. */
  readonly #epoch: string;
  readonly #listeners = new Set<Listener>();
  /** The latest events without a gap between them, oldest first. */
  #kept: NumberedEvent[] = [];
  #newest = 0;
  #leftAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, epoch: string) {
    this.#clock = clock;
    this.#epoch = epoch;
  }

  /** Does anybody listen? Called before an event is created. */
  hasListeners(): boolean {
    return this.#listeners.size > 0 || this.#clock.monotonicMs() - this.#leftAtMs < GAP_MS;
  }

  /** An event was not published: listeners that disconnected before it have a gap that cannot be closed. */
  miss(): void {
    this.#newest += 1;
    this.#kept = [];
  }

  publish(event: LiveEvent): void {
    if (!this.hasListeners()) {
      this.miss();
      return;
    }
    this.#newest += 1;
    const numbered = { id: this.#format(this.#newest), event };
    this.#kept.push(numbered);
    if (this.#kept.length >= 2 * MAX_KEPT) this.#kept = this.#kept.slice(-MAX_KEPT);
    for (const listener of [...this.#listeners]) this.#send(listener, numbered);
  }

  position(): string {
    return this.#format(this.#newest);
  }

  subscribe(after: string | null, listener: Listener): Subscription {
    this.#listeners.add(listener);
    const missed = after === null ? [] : this.#findAfter(after);
    return { missed, position: this.position(), end: () => this.#leave(listener) };
  }

  #send(listener: Listener, event: NumberedEvent): void {
    try {
      listener(event);
    } catch {
      // Events are published while a delivery is processed: an error of a listener must not affect the delivery.
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
    // The ID before the oldest kept event is a valid position, too.
    const before = this.#format(this.#newest - this.#kept.length);
    return id === before && this.#kept.length > 0 ? [...this.#kept] : null;
  }
}
