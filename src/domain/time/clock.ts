/**
 * Time as a parameter. Wall time is for signature windows, retention and display. Durations, rate limits and leases use the
 * monotonic clock, which no time server can set back (threat model D9).
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  wallMs(): number;
  /** Milliseconds since an arbitrary moment; never goes back. */
  monotonicMs(): number;
}

/** The clocks of the machine. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** RFC 3339 in UTC with milliseconds, as every interface prints instants. */
export function formatInstant(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
