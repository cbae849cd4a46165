/** Minimum time between two refreshes. It doubles up to the maximum while events keep coming. */
export interface Pauses {
  firstMs: number;
  longestMs: number;
}

export interface Coalescer {
  /** Refreshes now, or at the end of the pause together with later requests. */
  ask: () => void;
  cancel: () => void;
}

/** Refreshes immediately after a single event, and once for many. */
export function coalesce(refresh: () => void, { firstMs, longestMs }: Pauses): Coalescer {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = firstMs;
  let isAsked = false;
  const run = () => {
    isAsked = false;
    refresh();
    timer = setTimeout(end, pauseMs);
  };
  const end = () => {
    timer = undefined;
    pauseMs = isAsked ? Math.min(pauseMs * 2, longestMs) : firstMs;
    if (isAsked) run();
  };
  return {
    ask: () => {
      if (timer === undefined) run();
      else isAsked = true;
    },
    cancel: () => {
      clearTimeout(timer);
      timer = undefined;
      isAsked = false;
    },
  };
}
