import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type LiveEvent, useLiveEvents } from './use-live-events.ts';

/** New rows that wait until the reader wants them. */
export interface HeldUpdates {
  waiting: number;
  show: () => void;
  /** To be spread on what must not move. */
  handlers: {
    onPointerEnter: () => void;
    onPointerLeave: () => void;
  };
}

/**
 * Renews a list when an event concerns it, but never under the pointer: there the new rows are counted and offered, and
 * they come when the reader asks or moves away.
 */
export function useHeldUpdates(queryKey: QueryKey, concerns: (event: LiveEvent) => boolean): HeldUpdates {
  const queryClient = useQueryClient();
  const [waiting, setWaiting] = useState(0);
  const isPointerInside = useRef(false);
  const show = () => {
    setWaiting(0);
    void queryClient.invalidateQueries({ queryKey });
  };
  useLiveEvents((event) => {
    if (!concerns(event)) return;
    if (isPointerInside.current) setWaiting((count) => count + 1);
    else void queryClient.invalidateQueries({ queryKey });
  });
  return {
    waiting,
    show,
    handlers: {
      onPointerEnter: () => {
        isPointerInside.current = true;
      },
      onPointerLeave: () => {
        isPointerInside.current = false;
        if (waiting > 0) show();
      },
    },
  };
}
