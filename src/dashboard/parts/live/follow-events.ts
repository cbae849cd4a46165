import type { Delivery, Reconciliation, Run } from '../../../client/api-types.ts';

/** One event of `GET /events`. */
export type ReceivedEvent =
  | { type: 'delivery'; data: Delivery }
  | { type: 'run'; data: Run }
  | { type: 'reconciliation'; data: Omit<Reconciliation, 'plan' | 'diagnostics'> }
  /** The list of pull requests of a factory, or a check, has changed. */
  | { type: 'pull_requests'; data: { factory: string } };

export interface EventHandlers {
  onEvent: (event: ReceivedEvent) => void;
  /** Some missed events are no longer available. */
  onReset: () => void;
  onConnected: () => void;
  /** `isRejected`: the daemon or a proxy answered without opening a stream. */
  onLost: (isRejected: boolean) => void;
}

const EVENTS = '/api/v1/events';
const EVENT_TYPES = ['delivery', 'run', 'reconciliation', 'pull_requests'] as const;
// A browser reconnects after a lost connection, but not after a rejection, for example by a proxy while the daemon restarts.
const REOPEN_AFTER_MS = 2_000;

/**
 * Follows the event stream and reconnects until the returned function is called.
 *
 * @param after ID of the last seen event; `null` to receive only new events
 */
export function followEvents(after: string | null, handlers: EventHandlers): () => void {
  let last = after;
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    source = new EventSource(last === null ? EVENTS : `${EVENTS}?after=${encodeURIComponent(last)}`);
    for (const type of EVENT_TYPES) {
      source.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) => {
        if (lastEventId !== '') last = lastEventId;
        handlers.onEvent({ type, data: JSON.parse(data) } as ReceivedEvent);
      });
    }
    source.addEventListener('reset', handlers.onReset);
    source.addEventListener('open', handlers.onConnected);
    source.addEventListener('error', () => {
      const isRejected = source.readyState === EventSource.CLOSED;
      if (isRejected) timer = setTimeout(open, REOPEN_AFTER_MS);
      handlers.onLost(isRejected);
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
