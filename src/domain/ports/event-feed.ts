import type { ReconciliationEnd } from '../applies/reconciliation.ts';
import type { Delivery } from '../resources/delivery.ts';
import type { Run, RunAttempt } from '../resources/run.ts';

/** An event and its position in the sequence of events. */
export interface NumberedEvent {
  /** Opaque; valid until the daemon restarts. */
  id: string;
  event: LiveEvent;
}

/** A subscription of one listener. */
export interface Subscription {
  /** Events after the given one, oldest first; `null` if that event is no longer in memory. */
  missed: NumberedEvent[] | null;
  /** The ID of the most recent event, or a placeholder before the first. */
  position: string;
  /** Ends the subscription: the listener is not called again. */
  end(): void;
}

/** Live events of the daemon. A listener can catch up after a short gap, but not after a restart. */
export interface EventFeed {
  /**
   * The ID of the most recent event, or a placeholder before the first. Later reads from storage include this event.
   */
  position(): string;
  /**
   * @param after ID of the last event that the listener received; `null` for none
   * @param listener must return immediately; a listener that throws is not called again
   */
  subscribe(after: string | null, listener: (event: NumberedEvent) => void): Subscription;
}

/**
 * A logged delivery, a created or changed run, or a finished reconciliation. Published after it is on disk. `pull_requests`: the open
 * pull requests of a factory, or what is known about one of them, changed.
 */
export type LiveEvent =
  | { kind: 'delivery'; delivery: Delivery }
  | { kind: 'run'; run: Run; attempts: RunAttempt[] }
  | { kind: 'reconciliation'; reconciliation: ReconciliationEnd }
  | { kind: 'pull_requests'; factory: string };

/** The factory that the event belongs to. */
export function factoryOfEvent(event: LiveEvent): string {
  if (event.kind === 'delivery') return event.delivery.factory;
  if (event.kind === 'run') return event.run.factory;
  return event.kind === 'reconciliation' ? event.reconciliation.factory : event.factory;
}
