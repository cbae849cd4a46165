import { uptime } from 'node:os';
import { type Clock, systemClock } from './clock.ts';

const HOUR_MS = 3_600_000;

/** A smaller difference between two clocks does not matter for anything that is measured in hours and days. */
export const CLOCK_TOLERANCE_MS = HOUR_MS;
/** A clock that was set is trusted after it has run for this time without another step. */
const TRUST_AFTER_MS = 24 * HOUR_MS;

/** The wall clock was set, or was wrong at the start. */
export interface ClockStep {
  /** The current wall clock. */
  wallMs: number;
  /** The wall clock without the step. */
  expectedMs: number;
  /** Time until it is trusted, if it is not set again. */
  remainingMs: number;
}

interface SteadyClockParts {
  clock: Clock;
  /** Time since the machine started, sleep included. */
  uptimeMs: () => number;
  /** The latest time that an earlier daemon stored; `null` if nothing is stored. */
  newestStoredMs: number | null;
}

/**
 * The clock for everything that expires by age: retention, identities, sessions, login links, stored responses. It does not
 * follow a step of the wall clock of more than an hour. Otherwise, one wrong response of a time server would delete the
 * history within a minute, and old deliveries would start runs again.
 *
 * After a step, time continues with the uptime of the machine until the wall clock returns, or has run for a day without
 * another step. A start trusts the clock, unless it is behind the stored time: an operator who finds a step can restart.
 */
export class SteadyClock implements Clock {
  readonly #parts: SteadyClockParts;
  #uptimeMs: number;
  #steadyMs: number;
  /** The wall clock when its step was found. */
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

  /** The step that is not trusted yet; `null` if the clocks agree. */
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
    const isTrusted = Math.abs(wallMs - expectedMs) <= CLOCK_TOLERANCE_MS || this.#hasProvenItself(wallMs, uptimeMs);
    this.#steadyMs = isTrusted ? wallMs : expectedMs;
    if (isTrusted) this.#step = null;
  }

  /** Also records a first or another step. */
  #hasProvenItself(wallMs: number, uptimeMs: number): boolean {
    const step = this.#step;
    if (step === null || Math.abs(wallMs - step.wallMs - (uptimeMs - step.uptimeMs)) > CLOCK_TOLERANCE_MS) {
      this.#step = { wallMs, uptimeMs };
      return false;
    }
    return uptimeMs - step.uptimeMs >= TRUST_AFTER_MS;
  }
}

/** On Linux, the uptime continues while the machine sleeps, like the wall clock. */
export const measureUptimeMs = process.platform === 'linux' ? () => uptime() * 1000 : () => systemClock.monotonicMs();
