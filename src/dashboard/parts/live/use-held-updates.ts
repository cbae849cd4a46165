import { hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { coalesce } from './coalesce.ts';
import { type ReceivedEvent, useLiveEvents } from './use-live-events.ts';

/** New rows that are held back until the user asks for them. */
export interface HeldUpdates {
  waiting: number;
  show: () => void;
  /** Props for the element that must not move. */
  handlers: {
    ref: (element: HTMLElement | null) => void;
    onPointerEnter: () => void;
    onPointerLeave: () => void;
  };
}

/**
 * Refreshes a list when an event concerns it, but not while the pointer is on it. Then new rows are counted, and shown
 * when the user asks for them or moves the pointer away.
 *
 * @param isReading a row of the list is open, so the list stays unchanged until the user asks
 */
export function useHeldUpdates(
  queryKey: QueryKey,
  concerns: (event: ReceivedEvent) => boolean,
  isReading = false,
): HeldUpdates {
  const queryClient = useQueryClient();
  // Rows held back for another list or page are not counted.
  const key = hashKey(queryKey);
  const [held, setHeld] = useState({ key, count: 0 });
  const waiting = held.key === key ? held.count : 0;
  const isPointerInside = useRef(false);
  const refresh = () => void queryClient.invalidateQueries({ queryKey });
  const refreshSoon = useCoalesced(refresh);
  // When an empty state replaces the rows, no pointerleave event is sent.
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) isPointerInside.current = false;
  }, []);
  const show = () => {
    setHeld({ key, count: 0 });
    refresh();
  };
  useLiveEvents((event) => {
    if (!concerns(event)) return;
    if (isPointerInside.current || isReading)
      setHeld((before) => ({ key, count: before.key === key ? before.count + 1 : 1 }));
    else refreshSoon();
  });
  return {
    waiting,
    show,
    handlers: {
      ref,
      onPointerEnter: () => {
        isPointerInside.current = true;
      },
      onPointerLeave: () => {
        isPointerInside.current = false;
        if (waiting > 0 && !isReading) show();
      },
    },
  };
}

/** Limits how often `refresh` is called, and always calls the function of the latest render. */
function useCoalesced(refresh: () => void): () => void {
  const latest = useRef(refresh);
  useEffect(() => {
    latest.current = refresh;
  });
  const [coalescer] = useState(() => coalesce(() => latest.current()));
  useEffect(() => coalescer.cancel, [coalescer]);
  return coalescer.ask;
}
