import type { Delivery, Reconciliation, Run } from '../../api/types.ts';

/** Something that happened, as `GET /events` tells it. */
export type LiveEvent =
  | { type: 'delivery'; data: Delivery }
  | { type: 'run'; data: Run }
  | { type: 'reconciliation'; data: Omit<Reconciliation, 'plan' | 'diagnostics'> };

export interface EventHandlers {
  onEvent: (event: LiveEvent) => void;
  /** The daemon does not remember all that was missed. */
  onReset: () => void;
  onConnected: () => void;
  /** `isRefused`: the daemon, or a proxy in front of it, answered and opened no stream. */
  onLost: (isRefused: boolean) => void;
}

const EVENTS = '/api/v1/events';
const EVENT_TYPES = ['delivery', 'run', 'reconciliation'] as const;
/** A browser opens a stream again that broke off, but not one that was refused, for example by a proxy of a daemon that restarts. */
const REOPEN_AFTER_MS = 2_000;

/**
 * Follows the stream of events until it is told to stop, whatever happens to the connection in between.
 *
 * @param after the event to go on from; `null` for what happens from now on
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
        handlers.onEvent({ type, data: JSON.parse(data) } as LiveEvent);
      });
    }
    source.addEventListener('reset', handlers.onReset);
    source.addEventListener('open', handlers.onConnected);
    source.addEventListener('error', () => {
      const isRefused = source.readyState === EventSource.CLOSED;
      if (isRefused) timer = setTimeout(open, REOPEN_AFTER_MS);
      handlers.onLost(isRefused);
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
