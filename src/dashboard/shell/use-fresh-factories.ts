import { useQueryClient } from '@tanstack/react-query';
import { factoriesQuery } from '../api/queries.ts';
import { useLiveEvents } from '../parts/live/use-live-events.ts';

/** Renews what every page knows of the factories, for example what is live, after each pass that ended. */
export function useFreshFactories(): void {
  const queryClient = useQueryClient();
  useLiveEvents(({ type }) => {
    if (type === 'reconciliation') void queryClient.invalidateQueries({ queryKey: factoriesQuery.queryKey });
  });
}
