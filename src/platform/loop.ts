import { type Backoff, backoffMs, LOCAL_BACKOFF } from '../domain/time/backoff.ts';
import { type CancelCall, type Schedule, scheduleCall } from '../domain/time/schedule.ts';

/**
 * When the next turn starts: after this number of milliseconds, or only with a wake (`null`). `failed`: after the backoff,
 * because the turn failed and has reported that.
 */
export type NextTurn = number | null | 'failed';

/** When a loop begins, and until when it takes turns. */
interface LoopStart {
  /** Delay of the first turn. Default: 0. */
  delayMs?: number;
  /** The loop ends when it aborts, as by `stop`, but can be started again. */
  term?: AbortSignal;
}

export interface LoopParts {
  /** Does the work that is due. @param ending aborted if a stop does not wait for the turn any longer */
  turn(ending: AbortSignal): Promise<NextTurn>;
  /** A turn rejected. The next one starts after the backoff. @param failures number of failures in a row */
  onFailure(error: unknown, failures: number): void;
  /** Delays after failures. Default: `LOCAL_BACKOFF`. */
  backoff?: Backoff;
  /** A stop waits this long for the current turn before it aborts `ending`. Default: 0. */
  graceMs?: number;
  schedule?: Schedule;
  /** A number from 0 up to but not including 1, for a backoff with jitter. */
  random?: () => number;
}

/**
 * Takes turns, one after another, until it is stopped or its term ends.
 *
 * ```
 *  idle ──start──▶ working ◀──── wake, the pause ends ────┐
 *   ▲               │  │ ▲                                │
 *   │               │  │ └─ woken meanwhile, or due now   │
 *   │               │  └─── pause, backoff, no turn ──▶ waiting
 *   │               ▼ stop, the term ends                 │ stop, the term ends
 *   │  ending (has `graceMs`, less with `hurry`) ────▶ ended ◀┘
 *   └──────────────────────────────────────── not by `stop` ┘
 * ```
 *
 * A wake never gets lost: during a turn, it causes another one. Before the start it does nothing, because the first turn
 * follows the start. A failed turn never ends the loop. A term can begin while a turn of the last one ends: its first turn
 * follows that one.
 */
export class Loop {
  readonly #parts: LoopParts;
  readonly #schedule: Schedule;
  /** Of the turns since the last start. */
  #ending = new AbortController();
  /** Of the last start. */
  #term: AbortSignal | undefined;
  #isRunning = false;
  #isStopped = false;
  #isWanted = false;
  #working: Promise<void> | null = null;
  #failures = 0;
  #cancelPause: CancelCall | null = null;
  #cancelWake: CancelCall | null = null;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#schedule = parts.schedule ?? scheduleCall;
  }

  /** Does it take turns? */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Takes the first turn. Does nothing if the loop takes turns already, after `stop`, and if the term has ended. */
  start({ delayMs = 0, term }: LoopStart = {}): void {
    if (this.#isRunning || this.#isStopped || term?.aborted) return;
    this.#isRunning = true;
    this.#ending = new AbortController();
    this.#failures = 0;
    this.#term = term;
    term?.addEventListener('abort', this.#endTerm);
    if (delayMs === 0) this.wake();
    else this.#pause(delayMs);
  }

  /**
   * Ends a pause: takes a turn now, or after `delayMs`. Several wakes share a turn that starts after all of them, and wakes
   * with a delay the one that the first of them causes.
   */
  wake(delayMs = 0): void {
    if (!this.#isRunning) return;
    if (delayMs > 0) {
      this.#cancelWake ??= this.#schedule(delayMs, () => {
        this.#cancelWake = null;
        this.wake();
      });
      return;
    }
    this.#isWanted = true;
    this.#working ??= this.#work();
  }

  /** Resolves when no turn is in progress. */
  async settled(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  /**
   * Takes no further turn, and resolves when none is in progress.
   *
   * @param hurry aborts the current turn, instead of the end of the grace period
   */
  stop(hurry?: AbortSignal): Promise<void> {
    this.#isStopped = true;
    return this.#end(hurry);
  }

  #endTerm = (): void => void this.#end();

  async #end(hurry?: AbortSignal): Promise<void> {
    this.#isRunning = false;
    this.#term?.removeEventListener('abort', this.#endTerm);
    this.#cancelTimers();
    const { graceMs = 0 } = this.#parts;
    const ending = this.#ending;
    const end = () => ending.abort();
    const isUrgent = graceMs === 0 || hurry?.aborted === true;
    const cancelGrace = isUrgent ? end() : this.#schedule(graceMs, end);
    hurry?.addEventListener('abort', end);
    await this.#working;
    hurry?.removeEventListener('abort', end);
    cancelGrace?.();
  }

  async #work(): Promise<void> {
    let waitMs: number | null;
    do {
      this.#isWanted = false;
      this.#cancelTimers();
      waitMs = await this.#takeTurn();
    } while (this.#isRunning && (this.#isWanted || waitMs === 0));
    this.#working = null;
    if (this.#isRunning && waitMs !== null) this.#pause(waitMs);
  }

  async #takeTurn(): Promise<number | null> {
    const { turn, onFailure, backoff = LOCAL_BACKOFF, random } = this.#parts;
    let next: NextTurn;
    try {
      next = await turn(this.#ending.signal);
      this.#failures = next === 'failed' ? this.#failures + 1 : 0;
    } catch (error) {
      next = 'failed';
      this.#failures += 1;
      onFailure(error, this.#failures);
    }
    return next === 'failed' ? backoffMs(backoff, this.#failures, random?.()) : next;
  }

  #pause(delayMs: number): void {
    this.#cancelPause = this.#schedule(delayMs, () => {
      this.#cancelPause = null;
      this.wake();
    });
  }

  #cancelTimers(): void {
    this.#cancelPause?.();
    this.#cancelWake?.();
    this.#cancelPause = null;
    this.#cancelWake = null;
  }
}
