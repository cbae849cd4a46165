/** After a renewal the next one comes this much later at the earliest, and later still for as long as events keep coming. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 5_000;

export interface Coalescer {
  /** Something happened: renews now, or at the end of the pause together with what else happens until then. */
  ask: () => void;
  cancel: () => void;
}

/** Renews at once after a single event, and once for many. */
export function coalesce(renew: () => void): Coalescer {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let isAsked = false;
  const run = () => {
    isAsked = false;
    renew();
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
