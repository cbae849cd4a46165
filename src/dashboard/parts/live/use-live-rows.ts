import { hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type LogData, rowsOf, withRows } from './log-page.ts';
import { type LogRow, mergeRows } from './merge-rows.ts';
import { RENDER_PAUSES, useCoalesced } from './use-coalesced.ts';
import { type ReceivedEvent, useLiveEvents } from './use-live-events.ts';
import { type HeldUpdates, usePointerHold } from './use-pointer-hold.ts';
import { useReads } from './use-reads.ts';

/** A list of a log whose rows come from live events after it was loaded. */
export interface LiveList<Row extends LogRow> {
  queryKey: QueryKey;
  /** Maximum number of rows. */
  limit: number;
  /** The row of an event of this factory or webhook; `null` for other events. */
  rowOf: (event: ReceivedEvent) => Row | null;
  /** Does a row that is not listed belong to the list? Rows that are listed are always updated. */
  takes: (row: Row) => boolean;
  /** A row of the list is open, so no row is added until the user asks. */
  isReading?: boolean;
}

/** Rows that are not shown yet. */
interface Arrived<Row> {
  rows: Map<string, Row>;
  /** Number of held rows that newer ones have replaced. If there are any, the list is reloaded when it is shown. */
  replaced: number;
}

/**
 * Puts the rows of live events into a list that is loaded, without a request. While the pointer is on the list, or a row is
 * open, listed rows are updated and new rows are counted. They are shown when the user asks for them or moves the pointer away.
 */
export function useLiveRows<Row extends LogRow>(list: LiveList<Row>): HeldUpdates {
  const { queryKey, limit, rowOf, takes, isReading = false } = list;
  const queryClient = useQueryClient();
  const key = hashKey(queryKey);
  const [held, setHeld] = useState({ key, count: 0 });
  const waiting = held.key === key ? held.count : 0;
  const arrived = useRef<Arrived<Row>>({ rows: new Map(), replaced: 0 });

  const apply = (isHeld: boolean) => {
    const state = queryClient.getQueryState<LogData<Row>>(queryKey);
    // The rows are applied to the response.
    if (state?.data === undefined || state.fetchStatus === 'fetching') return;
    if (!isHeld && arrived.current.replaced > 0) return void queryClient.invalidateQueries({ queryKey });
    const shown = takeShown(arrived.current, { listed: rowsOf(state.data), takes, isHeld, limit });
    if (shown.length > 0) {
      const merged = mergeRows(rowsOf(state.data), shown);
      queryClient.setQueryData<LogData<Row>>(queryKey, withRows(state.data, merged, limit));
    }
    const count = arrived.current.rows.size + arrived.current.replaced;
    setHeld((before) => (before.key === key && before.count === count ? before : { key, count }));
  };
  const show = () => apply(false);
  const { isInside, handlers } = usePointerHold(() => {
    if (waiting > 0 && !isReading) show();
  });
  const applySoon = useCoalesced(() => apply(isInside() || isReading), RENDER_PAUSES);
  useLiveEvents((event) => {
    const row = rowOf(event);
    if (row === null) return;
    arrived.current.rows.set(row.id, row);
    applySoon();
  });
  useReads(queryKey, {
    onBegin: () => {
      arrived.current = { rows: new Map(), replaced: 0 };
      setHeld({ key, count: 0 });
    },
    onEnd: () => {
      if (arrived.current.rows.size > 0) applySoon();
    },
  });
  return { waiting, show, handlers };
}

interface Situation<Row> {
  listed: readonly Row[];
  takes: (row: Row) => boolean;
  isHeld: boolean;
  limit: number;
}

/** Removes and returns the rows that can be shown now: updates of listed rows, and new rows unless they are held. */
function takeShown<Row extends LogRow>(arrived: Arrived<Row>, { listed, takes, isHeld, limit }: Situation<Row>): Row[] {
  const ids = new Set(listed.map(({ id }) => id));
  const shown: Row[] = [];
  for (const row of [...arrived.rows.values()]) {
    const isListed = ids.has(row.id);
    if (!isListed && takes(row) && isHeld) continue;
    arrived.rows.delete(row.id);
    if (isListed || takes(row)) shown.push(row);
  }
  for (const id of [...arrived.rows.keys()].slice(0, Math.max(0, arrived.rows.size - limit))) {
    arrived.rows.delete(id);
    arrived.replaced += 1;
  }
  return shown;
}
