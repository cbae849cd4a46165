import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { factoriesQuery } from '../../api/queries.ts';
import { useLiveEvents } from '../../parts/live/use-live-events.ts';

/** A factory that receives much is looked at again this often, and not for every delivery. */
const PAUSE_MS = 2_000;

/** Renews the numbers of the overview after something happened in the factory; its list of rejections is held apart. */
export function useFreshOverview(factory: string): void {
  const queryClient = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveEvents(({ data }) => {
    if (data.factory !== factory || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void queryClient.invalidateQueries({ queryKey: factoriesQuery.queryKey });
      void queryClient.invalidateQueries({ queryKey: ['factory', factory, 'activity'] });
    }, PAUSE_MS);
  });
}
