import { useThrottledCallback } from '@mantine/hooks';
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

/** A burst of events renews a list this seldom. */
const RENEW_EVERY_MS = 500;

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
  const [waiting, setWaiting] = useState(0);
  const isPointerInside = useRef(false);
  const renew = useThrottledCallback(() => void queryClient.invalidateQueries({ queryKey }), RENEW_EVERY_MS);
  const show = () => {
    setWaiting(0);
    renew();
  };
  useLiveEvents((event) => {
    if (!concerns(event)) return;
    if (isPointerInside.current || isReading) setWaiting((count) => count + 1);
    else renew();
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
        if (waiting > 0 && !isReading) show();
      },
    },
  };
}
