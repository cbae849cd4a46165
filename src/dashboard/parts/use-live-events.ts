import { useQueryClient } from '@tanstack/react-query';
import { createContext, createElement, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import type { Delivery, Reconciliation, Run } from '../api/types.ts';

/** Something that happened, as `GET /events` tells it. */
export type LiveEvent =
  | { type: 'delivery'; data: Delivery }
  | { type: 'run'; data: Run }
  | { type: 'reconciliation'; data: Omit<Reconciliation, 'plan' | 'diagnostics'> };

type Listener = (event: LiveEvent) => void;

const EVENT_TYPES = ['delivery', 'run', 'reconciliation'] as const;
const EventsContext = createContext<Set<Listener> | null>(null);

/**
 * One stream of events for all of the page. It is closed while the tab is hidden, because browsers allow few connections
 * to one host; what happened meanwhile is read again when the reader comes back.
 */
export function LiveEventsProvider({ children }: { children: ReactNode }) {
  const [listeners] = useState(() => new Set<Listener>());
  const queryClient = useQueryClient();
  useEffect(() => {
    let source: EventSource | null = null;
    const renew = () => void queryClient.invalidateQueries({ refetchType: 'active' });
    const open = () => {
      source = openStream(listeners);
      // The daemon does not remember all that was missed.
      source.addEventListener('reset', renew);
    };
    const follow = () => {
      source?.close();
      source = null;
      if (document.hidden) return;
      open();
      renew();
    };
    if (!document.hidden) open();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      source?.close();
    };
  }, [listeners, queryClient]);
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

function openStream(listeners: Set<Listener>): EventSource {
  const source = new EventSource('/api/v1/events');
  for (const type of EVENT_TYPES) {
    source.addEventListener(type, (message: MessageEvent<string>) => {
      const event = { type, data: JSON.parse(message.data) } as LiveEvent;
      for (const listener of listeners) listener(event);
    });
  }
  return source;
}
