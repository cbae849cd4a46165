import type { RunId } from '../domain/ids.ts';
import { backoffMs, LOCAL_BACKOFF } from '../domain/time/backoff.ts';
import type { Clock } from '../domain/time/clock.ts';

/** A run that fails to start this often, over at least this time, while other runs start in between, is itself at fault. */
const MAX_STRIKES = 5;
const HOPELESS_AFTER_MS = 10 * 60_000;
/** The failures of a run that was not claimed again for this time are forgotten (it was cancelled, for example). */
const FORGET_MS = 60 * 60_000;

/** Why the runs of a factory cannot start on this machine. */
export interface StartFailure {
  problem: string;
  /** Wall time in milliseconds. */
  since: number;
}

interface Failing {
  /** On the monotonic clock, as every instant here. */
  firstAt: number;
  count: number;
  /** Failures before which another run had started since the failure before. */
  strikes: number;
  /** Number of starts in the queue at the last failure. */
  startsBefore: number;
  restUntil: number;
}

/**
 * Prevents that a queue fails all its runs while the machine cannot start any: no file descriptors, processes, memory or
 * disk. Claiming pauses after each failure, longer each time. The run that failed waits twice as long, so that another run
 * is tried next: this distinguishes a machine that cannot start runs from a run that can never start.
 */
export class StartFailures {
  readonly #clock: Clock;
  readonly #failing = new Map<RunId, Failing>();
  #current: StartFailure | null = null;
  #failures = 0;
  #starts = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The problem of the last failure; `null` if runs have started since, or none failed. */
  current(): StartFailure | null {
    return this.#current;
  }

  /** When the queue may claim again, on the monotonic clock; `null` for now. */
  pausedUntil(): number | null {
    return this.#pausedUntil > this.#clock.monotonicMs() ? this.#pausedUntil : null;
  }

  /** Runs that must not be claimed yet, with the instant on the monotonic clock when the first of them may be. */
  resting(): { runs: RunId[]; until: number } {
    const now = this.#clock.monotonicMs();
    const resting = [...this.#failing].filter(([, { restUntil }]) => restUntil > now);
    return { runs: resting.map(([run]) => run), until: Math.min(...resting.map(([, { restUntil }]) => restUntil)) };
  }

  /**
   * A run could not start, or, without a run, none could be claimed.
   * @returns how long claiming pauses, in milliseconds, and whether to fail this run
   */
  note(run: RunId | null, problem: string): { pauseMs: number; isHopeless: boolean } {
    const now = this.#clock.monotonicMs();
    this.#failures++;
    this.#current = { problem, since: this.#current?.since ?? this.#clock.wallMs() };
    const pauseMs = backoffMs(LOCAL_BACKOFF, this.#failures);
    this.#pausedUntil = now + pauseMs;
    this.#forgetOld(now);
    return { pauseMs, isHopeless: run !== null && this.#noteRun(run, now, pauseMs) };
  }

  /** A run has started. */
  noteStart(run: RunId): void {
    this.#starts++;
    this.#failing.delete(run);
    this.clear();
  }

  /** The run ended without a start for another reason. */
  forget(run: RunId): void {
    this.#failing.delete(run);
  }

  /** No run is left that could show whether the problem persists. */
  clear(): void {
    this.#failures = 0;
    this.#current = null;
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
  }

  #noteRun(run: RunId, now: number, pauseMs: number): boolean {
    const before = this.#failing.get(run);
    const count = (before?.count ?? 0) + 1;
    const othersStarted = before !== undefined && this.#starts > before.startsBefore;
    const strikes = (before?.strikes ?? 0) + (othersStarted ? 1 : 0);
    const restUntil = now + 2 * Math.max(pauseMs, backoffMs(LOCAL_BACKOFF, count));
    const firstAt = before?.firstAt ?? now;
    this.#failing.set(run, { firstAt, count, strikes, startsBefore: this.#starts, restUntil });
    return strikes >= MAX_STRIKES && now - firstAt >= HOPELESS_AFTER_MS;
  }

  #forgetOld(now: number): void {
    for (const [run, { restUntil }] of this.#failing) if (restUntil + FORGET_MS < now) this.#failing.delete(run);
  }
}
