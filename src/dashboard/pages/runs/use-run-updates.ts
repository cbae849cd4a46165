import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { Page } from '../../api/deliveries.ts';
import type { Run } from '../../api/types.ts';
import { useLiveEvents } from '../../parts/live/use-live-events.ts';

/**
 * Changes the state of listed runs in place, where nothing moves by it. Answers with whether a run is listed.
 *
 * @param queryKey of the page that is shown
 */
export function useRunUpdates(queryKey: QueryKey): (id: string) => boolean {
  const queryClient = useQueryClient();
  const isListed = (id: string) =>
    queryClient.getQueryData<Page<Run>>(queryKey)?.data.some((run) => run.id === id) ?? false;
  useLiveEvents(({ type, data }) => {
    if (type !== 'run' || !isListed(data.id)) return;
    queryClient.setQueryData<Page<Run>>(
      queryKey,
      (page) => page && { ...page, data: page.data.map((run) => (run.id === data.id ? { ...run, ...data } : run)) },
    );
  });
  return isListed;
}
