import { useEffect, useRef, useState } from 'react';
import { coalesce, type Pauses } from './coalesce.ts';

/** Pauses between two requests for the same list. */
export const RELOAD_PAUSES: Pauses = { firstMs: 2_000, longestMs: 5_000 };
/** Pauses between two requests for the same numbers. */
export const COUNT_PAUSES: Pauses = { firstMs: 2_000, longestMs: 10_000 };
/** Pauses between two changes of a list without a request. */
export const RENDER_PAUSES: Pauses = { firstMs: 250, longestMs: 2_000 };

/** Limits how often `refresh` is called, and always calls the function of the latest render. */
export function useCoalesced(refresh: () => void, pauses: Pauses): () => void {
  const latest = useRef(refresh);
  useEffect(() => {
    latest.current = refresh;
  });
  const [coalescer] = useState(() => coalesce(() => latest.current(), pauses));
  useEffect(() => coalescer.cancel, [coalescer]);
  return coalescer.ask;
}
