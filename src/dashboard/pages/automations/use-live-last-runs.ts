import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Run } from '../../../client/api-types.ts';
import { lastRunQuery } from '../../api/automations.ts';
import { mergeRows } from '../../parts/live/merge-rows.ts';
import { RENDER_PAUSES, useCoalesced } from '../../parts/live/use-coalesced.ts';
import { useLiveEvents } from '../../parts/live/use-live-events.ts';

/** Updates the last run of each automation of the factory from live events. */
export function useLiveLastRuns(factory: string): void {
  const queryClient = useQueryClient();
  const changed = useRef(new Map<string, Run>());
  const apply = (run: Run) => {
    const { queryKey } = lastRunQuery(factory, run.automation);
    // The response to a request that has begun may lack the run.
    if (queryClient.getQueryState(queryKey)?.fetchStatus === 'fetching') {
      void queryClient.invalidateQueries({ queryKey });
    } else {
      queryClient.setQueryData<Run | null>(queryKey, (last) => (last === undefined ? undefined : newest(last, run)));
    }
  };
  const applySoon = useCoalesced(() => {
    for (const run of changed.current.values()) apply(run);
    changed.current.clear();
  }, RENDER_PAUSES);
  useLiveEvents(({ type, data: run }) => {
    if (type !== 'run' || run.factory !== factory) return;
    changed.current.set(run.id, run);
    applySoon();
  });
}

function newest(last: Run | null, run: Run): Run {
  return mergeRows(last === null ? [] : [last], [run])[0]!;
}
