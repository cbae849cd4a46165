import { hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { RELOAD_PAUSES, useCoalesced } from './use-coalesced.ts';
import { type ReceivedEvent, useLiveEvents } from './use-live-events.ts';
import { type HeldUpdates, usePointerHold } from './use-pointer-hold.ts';

/**
 * Reloads a list when an event concerns it, but not while the pointer is on it. Then events are counted, and the list is
 * reloaded when the user asks for it or moves the pointer away. For lists whose rows are not in the events; `useLiveRows` is
 * for the others.
 *
 * @param isReading a row of the list is open, so the list stays unchanged until the user asks
 */
export function useHeldUpdates(
  queryKey: QueryKey,
  concerns: (event: ReceivedEvent) => boolean,
  isReading = false,
): HeldUpdates {
  const queryClient = useQueryClient();
  // Events held back for another list or page are not counted.
  const key = hashKey(queryKey);
  const [held, setHeld] = useState({ key, count: 0 });
  const waiting = held.key === key ? held.count : 0;
  const refresh = () => void queryClient.invalidateQueries({ queryKey });
  const refreshSoon = useCoalesced(refresh, RELOAD_PAUSES);
  const show = () => {
    setHeld({ key, count: 0 });
    refresh();
  };
  const { isInside, handlers } = usePointerHold(() => {
    if (waiting > 0 && !isReading) show();
  });
  useLiveEvents((event) => {
    if (!concerns(event)) return;
    if (isInside() || isReading) setHeld((before) => ({ key, count: before.key === key ? before.count + 1 : 1 }));
    else refreshSoon();
  });
  return { waiting, show, handlers };
}
