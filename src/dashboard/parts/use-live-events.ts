import { useQueryClient } from '@tanstack/react-query';
import { createContext, createElement, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import type { Delivery, Reconciliation, Run } from '../api/types.ts';

/** Something that happened, as `GET /events` tells it. */
export type LiveEvent =
  | { type: 'delivery'; data: Delivery }
  | { type: 'run'; data: Run }
  | { type: 'reconciliation'; data: Omit<Reconciliation, 'plan' | 'diagnostics'> };

type Listener = (event: LiveEvent) => void;

const EVENTS = '/api/v1/events';
const EVENT_TYPES = ['delivery', 'run', 'reconciliation'] as const;
const EventsContext = createContext<Set<Listener> | null>(null);

/**
 * One stream of events for all of the page. It is closed while the tab is hidden, because browsers allow few connections
 * to one host; what happened meanwhile is read again when the reader comes back.
 *
 * @param after the newest event when the page began to read: what came since is told first
 */
export function LiveEventsProvider({ after, children }: { after: string; children: ReactNode }) {
  const [listeners] = useState(() => new Set<Listener>());
  const [begin] = useState(after);
  const queryClient = useQueryClient();
  useEffect(() => {
    let source: EventSource | null = null;
    const tell: Listener = (event) => {
      for (const listener of listeners) listener(event);
    };
    const renew = () => void queryClient.invalidateQueries({ refetchType: 'active' });
    const open = (path: string) => {
      source = openStream(path, tell);
      // The daemon does not remember all that was missed.
      source.addEventListener('reset', renew);
    };
    const follow = () => {
      source?.close();
      source = null;
      if (document.hidden) return;
      open(EVENTS);
      renew();
    };
    if (!document.hidden) open(`${EVENTS}?after=${encodeURIComponent(begin)}`);
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      source?.close();
    };
  }, [begin, listeners, queryClient]);
  return createElement(EventsContext, { value: listeners }, children);
}

/** Calls the listener for every event while the component is there. */
export function useLiveEvents(listener: Listener): void {
  const listeners = useContext(EventsContext);
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => {
    const listen: Listener = (event) => latest.current(event);
    listeners?.add(listen);
    return () => void listeners?.delete(listen);
  }, [listeners]);
}

function openStream(path: string, tell: Listener): EventSource {
  const source = new EventSource(path);
  for (const type of EVENT_TYPES) {
    source.addEventListener(type, (message: MessageEvent<string>) => {
      tell({ type, data: JSON.parse(message.data) } as LiveEvent);
    });
  }
  return source;
}
