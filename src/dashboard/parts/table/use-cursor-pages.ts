import { useCallback } from 'react';
import { useSearchParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';

/** The current page of a log, and how to reach other pages. */
export interface CursorPages {
  /** Start of the page; `null` for the newest rows. */
  cursor: string | null;
  isNewest: boolean;
  /** Whether the cursor of the newer page is known. It is not known after opening a link. */
  knowsNewer: boolean;
  goOlder: (nextCursor: string) => void;
  goNewer: () => void;
  goNewest: () => void;
}

const PARAMETER = 'cursor';

/**
 * Keeps the page of a log in the URL, so that it survives a reload and the back button returns to the previous page. The
 * filter is in the same URL. A filter change removes the page, and so starts with the newest rows.
 */
export function useCursorPages(): CursorPages {
  const [search, setSearch] = useSearchParams();
  const cursor = search.get(PARAMETER);
  // The cursors of newer pages are in the history entry, because they do not fit in the URL.
  const newer = readNewer(useHistoryState());
  const goTo = (next: string | null, nextNewer: string[]) => {
    setSearch((before) => withParameter(before, { [PARAMETER]: next, [OPEN_PARAMETER]: null }), {
      state: { newer: nextNewer },
    });
    window.scrollTo({ top: 0 });
  };
  return {
    cursor,
    isNewest: cursor === null,
    knowsNewer: newer.length > 0,
    goOlder: (nextCursor) => goTo(nextCursor, [...newer, cursor ?? '']),
    goNewer: () => goTo(newer.at(-1) || null, newer.slice(0, -1)),
    goNewest: () => goTo(null, []),
  };
}

function readNewer(state: unknown): string[] {
  const newer = (state as { newer?: unknown } | null)?.newer;
  return Array.isArray(newer) ? newer.map(String) : [];
}

const OPEN_PARAMETER = 'open';

/** The ID of the open row, kept in the URL so that it survives a reload and can be shared. */
export function useOpenRow(): [openId: string | null, toggle: (id: string) => void] {
  const [search, setSearch] = useSearchParams();
  const state = useHistoryState();
  const openId = search.get(OPEN_PARAMETER);
  const toggle = useCallback(
    (id: string) =>
      setSearch((before) => withParameter(before, { [OPEN_PARAMETER]: id === openId ? null : id }), {
        replace: true,
        state,
      }),
    [openId, setSearch, state],
  );
  return [openId, toggle];
}

/** A copy with these parameters set; `null` removes a parameter. */
export function withParameter(before: URLSearchParams, changed: Record<string, string | null>): URLSearchParams {
  const search = new URLSearchParams(before);
  for (const [key, value] of Object.entries(changed)) {
    if (value === null) search.delete(key);
    else search.set(key, value);
  }
  return search;
}
