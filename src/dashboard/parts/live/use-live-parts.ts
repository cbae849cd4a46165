import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Pauses } from './coalesce.ts';
import { useCoalesced } from './use-coalesced.ts';
import { type ReceivedEvent, useLiveEvents } from './use-live-events.ts';
import { useReads } from './use-reads.ts';

type Change<Data> = (data: Data) => Data;

/** Data of a query that live events change in part after it was loaded. */
export interface LiveParts<Data, Part> {
  queryKey: QueryKey;
  /** Pauses between two changes. */
  pauses: Pauses;
  /** The part that an event changes; `null` for other events. */
  partOf: (event: ReceivedEvent) => Part | null;
  /** The change for these parts, from the events or from a request for these parts only. */
  changeOf: (parts: readonly Part[], data: Data) => Change<Data> | Promise<Change<Data>>;
}

/**
 * Changes the parts of a query's data that live events concern, without a request for the rest. For data that is not a list of
 * the events' own rows; `useLiveRows` is for these.
 */
export function useLiveParts<Data, Part>({ queryKey, pauses, partOf, changeOf }: LiveParts<Data, Part>): void {
  const queryClient = useQueryClient();
  const changed = useRef<Part[]>([]);
  const reads = useRef(0);

  const apply = async () => {
    const state = queryClient.getQueryState<Data>(queryKey);
    // The parts are changed in the response.
    if (state?.fetchStatus === 'fetching') return;
    const parts = changed.current.splice(0);
    if (state?.data === undefined || parts.length === 0) return;
    const begun = reads.current;
    try {
      const change = await changeOf(parts, state.data);
      // A request that began in the meantime contains these events, and later ones.
      if (reads.current !== begun) return;
      queryClient.setQueryData<Data>(queryKey, (data) => data && change(data));
    } catch {
      await queryClient.invalidateQueries({ queryKey });
    }
  };
  const applySoon = useCoalesced(() => void apply(), pauses);
  useLiveEvents((event) => {
    const part = partOf(event);
    if (part === null) return;
    changed.current.push(part);
    applySoon();
  });
  useReads(queryKey, {
    onBegin: () => {
      changed.current = [];
      reads.current += 1;
    },
    onEnd: applySoon,
  });
}
