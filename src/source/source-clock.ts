/** Timers and chance as parameters of what waits, so that tests wait for nothing. */
export interface SourceClock {
  /** Calls back after `delayMs`; the function it answers with cancels. */
  setTimer(callback: () => void, delayMs: number): () => void;
  /** A number from 0 up to but not including 1. */
  random(): number;
}

/** Real timers that do not keep the process alive. */
export const systemSourceClock: SourceClock = {
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, delayMs).unref();
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
