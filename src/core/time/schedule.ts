/** Calls back once after a while, without keeping the process alive; the function returned takes that back. */
export function scheduleUnref(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
}
