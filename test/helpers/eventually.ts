const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/**
 * Calls the function until it returns something other than `undefined`, `null` or `false`. Fails after `timeoutMs`. The
 * pauses grow, because most calls are requests and cost processor time.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  timeoutMs = 60_000,
): Promise<Exclude<T, undefined | null | false>> {
  const startedAt = performance.now();
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen as Exclude<T, undefined | null | false>;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`No result within ${timeoutMs} ms.`);
    const pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, waitedMs / 10), LONGEST_PAUSE_MS);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
