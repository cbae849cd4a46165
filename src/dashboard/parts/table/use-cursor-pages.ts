import { useSearchParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';

/** Where a reader is in a log that is read page by page. */
export interface CursorPages {
  /** Where the page begins; `null` for the newest rows. */
  cursor: string | null;
  isNewest: boolean;
  /** Is it known where the page of newer rows begins? Not where the reader came by an address from elsewhere. */
  knowsNewer: boolean;
  goOlder: (nextCursor: string) => void;
  goNewer: () => void;
  goNewest: () => void;
}

const PARAMETER = 'cursor';

/**
 * The page of a log, in the address, so that it survives a reload and a step back leads to the page before. What the log
 * is filtered by stands in the same address: whoever changes that writes it without the page, and so begins with the
 * newest rows.
 */
export function useCursorPages(): CursorPages {
  const [search, setSearch] = useSearchParams();
  const cursor = search.get(PARAMETER);
  // The cursors of the newer pages, which an address cannot hold: they come with the entry in the history of the tab.
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

/** The row whose details are open, in the address, so that it survives a reload and can be passed on. */
export function useOpenRow(): [openId: string | null, toggle: (id: string) => void] {
  const [search, setSearch] = useSearchParams();
  const state = useHistoryState();
  const openId = search.get(OPEN_PARAMETER);
  const toggle = (id: string) =>
    setSearch((before) => withParameter(before, { [OPEN_PARAMETER]: id === openId ? null : id }), {
      replace: true,
      state,
    });
  return [openId, toggle];
}

/** The same address, but for these parameters; `null` takes one away. */
export function withParameter(before: URLSearchParams, changed: Record<string, string | null>): URLSearchParams {
  const search = new URLSearchParams(before);
  for (const [key, value] of Object.entries(changed)) {
    if (value === null) search.delete(key);
    else search.set(key, value);
  }
  return search;
}
