import { useQueryClient } from '@tanstack/react-query';
import { createContext, createElement, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { followEvents, type ReceivedEvent } from './follow-events.ts';

export type { ReceivedEvent } from './follow-events.ts';

type Listener = (event: ReceivedEvent) => void;

const EventsContext = createContext<Set<Listener> | null>(null);
const LostSinceContext = createContext<number | null>(null);

interface LiveEventsProviderProps {
  after: string;
  isPaused: boolean;
  children: ReactNode;
}

/**
 * One event stream for the whole dashboard. It is closed while the tab is hidden, because browsers limit the connections per
 * host. All data is read again when the user comes back.
 *
 * @param after ID of the newest event when the page started to read; later events are delivered first
 * @param isPaused the session has expired
 */
export function LiveEventsProvider({ after, isPaused, children }: LiveEventsProviderProps) {
  const [listeners] = useState(() => new Set<Listener>());
  const [begin] = useState(after);
  const [lostSinceMs, setLostSinceMs] = useState<number | null>(null);
  const hasPaused = useRef(false);
  const queryClient = useQueryClient();
  useEffect(() => {
    if (isPaused) {
      hasPaused.current = true;
      return;
    }
    let stop: (() => void) | null = null;
    let wasLost = false;
    const refresh = () => void queryClient.invalidateQueries({ refetchType: 'active' });
    const follow = (from: string | null) => {
      stop = followEvents(from, {
        onEvent: (event) => {
          for (const listener of listeners) listener(event);
        },
        onReset: refresh,
        onConnected: () => {
          if (wasLost) refresh();
          wasLost = false;
          setLostSinceMs(null);
        },
        onLost: (isRejected) => {
          wasLost = true;
          setLostSinceMs((since) => since ?? Date.now());
          // The session may have expired.
          if (isRejected) void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
        },
      });
    };
    const followWhileVisible = () => {
      stop?.();
      stop = null;
      setLostSinceMs(null);
      if (document.hidden) return;
      follow(null);
      refresh();
    };
    if (hasPaused.current) refresh();
    hasPaused.current = false;
    if (!document.hidden) follow(begin);
    document.addEventListener('visibilitychange', followWhileVisible);
    return () => {
      document.removeEventListener('visibilitychange', followWhileVisible);
      stop?.();
    };
  }, [begin, isPaused, listeners, queryClient]);
  return createElement(
    EventsContext,
    { value: listeners },
    createElement(LostSinceContext, { value: lostSinceMs }, children),
  );
}

/** When the connection to the daemon was lost, in milliseconds since the epoch; `null` while it is connected. */
export function useLostSince(): number | null {
  return useContext(LostSinceContext);
}

/** Calls the listener for every event while the component is mounted. */
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
