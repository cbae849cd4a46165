import { CLOCK_TOLERANCE_MS } from './steady-clock.ts';

/** Speed at which rows may age after a downtime, relative to real time. */
export const CATCH_UP_FACTOR = 6;

/** The state that a pass of retention stores for the next one. */
export interface RetentionMark {
  /** The steady clock at the time of the pass. */
  passedAtMs: number;
  /** The instant against which ages were measured. */
  horizonMs: number;
}

/**
 * The instant against which retention measures ages. It follows the clock. After a downtime it catches up by at most
 * six hours per hour that passes. After a month of downtime the daemon therefore catches up in five days, and after a
 * start with a wrong clock the operator has a day to detect it.
 */
export class RetentionTime {
  #horizonMs: number;
  #passedUptimeMs: number | null = null;

  /** @param mark of the last pass, also of an earlier daemon; `null` if nothing is stored */
  constructor(mark: RetentionMark | null, nowMs: number) {
    this.#horizonMs = mark?.horizonMs ?? nowMs;
  }

  /**
   * Begins a pass; returns the state for the next one.
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

  /** The lag behind the clock; `null` if it is within the tolerance of clocks. */
  findLag(steadyMs: number): number | null {
    const lagMs = steadyMs - this.#horizonMs;
    return lagMs > CLOCK_TOLERANCE_MS ? lagMs : null;
  }
}
