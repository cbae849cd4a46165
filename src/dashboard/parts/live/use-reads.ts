import { hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

interface ReadHandlers {
  /** The key has changed, or a request begins. Its response contains all earlier events. */
  onBegin: () => void;
  /** A response has arrived. */
  onEnd: () => void;
}

/** Follows the requests of one query, because events that arrive during a request must be applied to its response. */
export function useReads(queryKey: QueryKey, handlers: ReadHandlers): void {
  const queryClient = useQueryClient();
  const key = hashKey(queryKey);
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    latest.current.onBegin();
    return queryClient.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated' || event.query.queryHash !== key) return;
      if (event.action.type === 'fetch') latest.current.onBegin();
      else if (event.action.type === 'success' && event.action.manual !== true) latest.current.onEnd();
    });
  }, [key, queryClient]);
}
