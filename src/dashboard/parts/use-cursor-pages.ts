import { useState } from 'react';

/** Where a reader is in a log that is read page by page. */
export interface CursorPages {
  /** Where the page begins; `null` for the newest rows. */
  cursor: string | null;
  isNewest: boolean;
  goOlder: (nextCursor: string) => void;
  goNewer: () => void;
  goNewest: () => void;
}

/** @param key what the log is filtered by: another filter begins with its newest rows */
export function useCursorPages(key: string): CursorPages {
  const [visited, setVisited] = useState<{ key: string; cursors: string[] }>({ key, cursors: [] });
  const cursors = visited.key === key ? visited.cursors : [];
  const goTo = (next: string[]) => setVisited({ key, cursors: next });
  return {
    cursor: cursors.at(-1) ?? null,
    isNewest: cursors.length === 0,
    goOlder: (nextCursor) => goTo([...cursors, nextCursor]),
    goNewer: () => goTo(cursors.slice(0, -1)),
    goNewest: () => goTo([]),
  };
}
