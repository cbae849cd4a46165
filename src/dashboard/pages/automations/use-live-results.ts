import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { Run } from '../../../client/api-types.ts';
import { RELOAD_PAUSES, useCoalesced } from '../../parts/live/use-coalesced.ts';
import { useLiveEvents } from '../../parts/live/use-live-events.ts';

/** Reads automations again when the results of their runs may have changed. The API is the only source of results. */
export function useLiveResults(queryKey: QueryKey, concerns: (run: Run) => boolean): void {
  const queryClient = useQueryClient();
  const reload = useCoalesced(() => void queryClient.invalidateQueries({ queryKey, exact: true }), RELOAD_PAUSES);
  useLiveEvents(({ type, data: run }) => {
    if (type === 'run' && run.state !== 'running' && concerns(run)) reload();
  });
}
