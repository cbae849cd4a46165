import { hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { coalesce } from './coalesce.ts';
import { type LiveEvent, useLiveEvents } from './use-live-events.ts';

/** New rows that wait until the reader wants them. */
export interface HeldUpdates {
  waiting: number;
  show: () => void;
  /** To be spread on what must not move. */
  handlers: {
    ref: (element: HTMLElement | null) => void;
    onPointerEnter: () => void;
    onPointerLeave: () => void;
  };
}

/**
 * Renews a list when an event concerns it, but never under the pointer: there the new rows are counted and offered, and
 * they come when the reader asks or moves away.
 *
 * @param isReading the reader has opened something in the list: it stays as it is until asked
 */
export function useHeldUpdates(
  queryKey: QueryKey,
  concerns: (event: LiveEvent) => boolean,
  isReading = false,
): HeldUpdates {
  const queryClient = useQueryClient();
  // What waited for another list, or another page of it, is not counted here.
  const key = hashKey(queryKey);
  const [held, setHeld] = useState({ key, count: 0 });
  const waiting = held.key === key ? held.count : 0;
  const isPointerInside = useRef(false);
  const renew = () => void queryClient.invalidateQueries({ queryKey });
  const renewSoon = useCoalesced(renew);
  // Rows that give way to an empty state take the pointer with them: nobody tells that it left.
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) isPointerInside.current = false;
  }, []);
  const show = () => {
    setHeld({ key, count: 0 });
    renew();
  };
  useLiveEvents((event) => {
    if (!concerns(event)) return;
    if (isPointerInside.current || isReading)
      setHeld((before) => ({ key, count: before.key === key ? before.count + 1 : 1 }));
    else renewSoon();
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

/** The same, called once for many events; always that of the latest rendering. */
function useCoalesced(renew: () => void): () => void {
  const latest = useRef(renew);
  useEffect(() => {
    latest.current = renew;
  });
  const [coalescer] = useState(() => coalesce(() => latest.current()));
  useEffect(() => coalescer.cancel, [coalescer]);
  return coalescer.ask;
}
