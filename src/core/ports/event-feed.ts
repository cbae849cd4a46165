import type { LiveEvent } from '../live-event.ts';

/** An event with its place in the order of all. */
export interface NumberedEvent {
  /** Opaque; of one life of the daemon. */
  id: string;
  event: LiveEvent;
}

/** A place among those who listen. */
export interface Subscription {
  /** What came after the event that was named, oldest first; `null` where that is not remembered any more. */
  missed: NumberedEvent[] | null;
  /** The ID of the newest event, or what stands in its place before the first. */
  position: string;
  /** Nothing is told any more. */
  end(): void;
}

/** What happens in the daemon, as it happens. A short gap can be made up for; nothing survives a restart. */
export interface EventFeed {
  /** The ID of the newest event, or what stands in its place before the first: what is read from now on includes it. */
  position(): string;
  /**
   * @param after ID of the last event that the listener has seen; `null` for none
   * @param listener must return at once; one that throws is told nothing more
   */
  subscribe(after: string | null, listener: (event: NumberedEvent) => void): Subscription;
}
