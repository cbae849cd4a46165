import { CLOCK_TOLERANCE_MS } from './time/steady-clock.ts';

/** How much faster than real time rows may age after an absence. */
export const CATCH_UP_FACTOR = 6;

/** What the last pass of retention left behind. */
export interface RetentionMark {
  /** The steady clock at the time of the pass. */
  passedAtMs: number;
  /** The instant against which ages were measured. */
  horizonMs: number;
}

/**
 * The instant against which retention measures ages. It follows the clock, but after an absence it catches up in steps
 * that are bounded by the time that really passes: six hours in one. A daemon that was off for a month works through the
 * month in five days, and a daemon that was started with a wrong clock gives its operator a day to notice.
 */
export class RetentionTime {
  #horizonMs: number;
  #passedUptimeMs: number | null = null;

  /** @param mark of the last pass, also of an earlier daemon; `null` if nothing is stored */
  constructor(mark: RetentionMark | null, nowMs: number) {
    this.#horizonMs = mark?.horizonMs ?? nowMs;
  }

  /**
   * Begins a pass; returns what the next one has to know.
   *
   * @param steadyMs the steady clock
   * @param uptimeMs time since the machine started
   */
  advance(steadyMs: number, uptimeMs: number): RetentionMark {
    const elapsedMs = this.#passedUptimeMs === null ? 0 : Math.max(0, uptimeMs - this.#passedUptimeMs);
    this.#passedUptimeMs = uptimeMs;
    this.#horizonMs = Math.min(steadyMs, this.#horizonMs + elapsedMs * CATCH_UP_FACTOR);
    return { passedAtMs: steadyMs, horizonMs: this.#horizonMs };
  }

  /** How far it is behind the clock; `null` if it is not behind by more than clocks may differ. */
  findLag(steadyMs: number): number | null {
    const lagMs = steadyMs - this.#horizonMs;
    return lagMs > CLOCK_TOLERANCE_MS ? lagMs : null;
  }
}
