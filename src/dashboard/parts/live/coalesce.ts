/** Minimum time between two refreshes. It doubles up to the maximum while events keep coming. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 5_000;

export interface Coalescer {
  /** Refreshes now, or at the end of the pause together with later requests. */
  ask: () => void;
  cancel: () => void;
}

/** Refreshes immediately after a single event, and once for many. */
export function coalesce(refresh: () => void): Coalescer {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let isAsked = false;
  const run = () => {
    isAsked = false;
    refresh();
    timer = setTimeout(end, pauseMs);
  };
  const end = () => {
    timer = undefined;
    pauseMs = isAsked ? Math.min(pauseMs * 2, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS;
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
