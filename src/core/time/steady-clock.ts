import { uptime } from 'node:os';
import { type Clock, systemClock } from './clock.ts';

const HOUR_MS = 3_600_000;

/** Two clocks that differ by less are right enough for everything that counts in hours and days. */
export const CLOCK_TOLERANCE_MS = HOUR_MS;
/** A clock that was set is believed when it has run as long as this without another step. */
const TRUST_AFTER_MS = 24 * HOUR_MS;

/** The wall clock was set, or was wrong at the start. */
export interface ClockStep {
  /** What the wall clock says. */
  wallMs: number;
  /** What it would say without the step. */
  expectedMs: number;
  /** Until it is believed, if it is not set again. */
  remainingMs: number;
}

export interface SteadyClockParts {
  clock: Clock;
  /** Time since the machine started, sleep included. */
  uptimeMs: () => number;
  /** The time of the newest thing stored by an earlier daemon; `null` if nothing is stored. */
  newestStoredMs: number | null;
}

/**
 * The one clock policy of everything that ends by age: retention, identities, sessions, login links, kept responses.
 * Its wall time does not follow a step of the machine's clock by more than an hour. One wrong answer of a time server
 * would otherwise delete the history within a minute, and old deliveries would start runs again.
 *
 * Time goes on with the uptime of the machine until the wall clock comes back, or has run for a day without another step.
 * A start believes the clock at once, unless it is behind what is stored: an operator who finds a step can restart.
 */
export class SteadyClock implements Clock {
  readonly #parts: SteadyClockParts;
  #uptimeMs: number;
  #steadyMs: number;
  /** Where the wall clock was when its step was found. */
  #step: { wallMs: number; uptimeMs: number } | null = null;

  constructor(parts: SteadyClockParts) {
    this.#parts = parts;
    this.#uptimeMs = parts.uptimeMs();
    const wallMs = parts.clock.wallMs();
    const isBehind = parts.newestStoredMs !== null && parts.newestStoredMs - wallMs > CLOCK_TOLERANCE_MS;
    this.#steadyMs = isBehind ? parts.newestStoredMs! : wallMs;
  }

  monotonicMs(): number {
    return this.#parts.clock.monotonicMs();
  }

  wallMs(): number {
    this.#advance();
    return this.#steadyMs;
  }

  /** The step that is waited out; `null` while the clocks agree. */
  findStep(): ClockStep | null {
    this.#advance();
    if (this.#step === null) return null;
    const remainingMs = TRUST_AFTER_MS - (this.#uptimeMs - this.#step.uptimeMs);
    return { wallMs: this.#parts.clock.wallMs(), expectedMs: this.#steadyMs, remainingMs };
  }

  #advance(): void {
    const uptimeMs = this.#parts.uptimeMs();
    const expectedMs = this.#steadyMs + Math.max(0, uptimeMs - this.#uptimeMs);
    this.#uptimeMs = uptimeMs;
    const wallMs = this.#parts.clock.wallMs();
    const isBelieved = Math.abs(wallMs - expectedMs) <= CLOCK_TOLERANCE_MS || this.#hasProvenItself(wallMs, uptimeMs);
    this.#steadyMs = isBelieved ? wallMs : expectedMs;
    if (isBelieved) this.#step = null;
  }

  /** Notes a first or another step as well. */
  #hasProvenItself(wallMs: number, uptimeMs: number): boolean {
    const step = this.#step;
    if (step === null || Math.abs(wallMs - step.wallMs - (uptimeMs - step.uptimeMs)) > CLOCK_TOLERANCE_MS) {
      this.#step = { wallMs, uptimeMs };
      return false;
    }
    return uptimeMs - step.uptimeMs >= TRUST_AFTER_MS;
  }
}

/** On Linux the uptime goes on while the machine sleeps, as the wall clock does. Elsewhere it follows the wall clock. */
export const measureUptimeMs = process.platform === 'linux' ? () => uptime() * 1000 : () => systemClock.monotonicMs();
