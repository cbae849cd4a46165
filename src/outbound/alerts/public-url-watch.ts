import { messageOf } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { Schedule } from '../../domain/time/schedule.ts';
import { Loop } from '../../platform/loop.ts';

/** One failed request may be an accident of the network. */
const CONFIRM_MS = 5_000;

interface PublicUrlWatchParts {
  /** Interval of the requests; `null` if none is sent. */
  intervalMs(): number | null;
  /** Sends a request through the public URL. Resolves with why it did not arrive; `null` if it did. */
  probe(): Promise<string | null>;
  /** The result has changed. */
  onChange(): void;
  schedule: Schedule;
  logger: Logger;
  confirmMs?: number;
}

/** Sends a request through the public URL in an interval, and after each apply. A failure counts when a second request fails too. */
export class PublicUrlWatch {
  readonly #parts: PublicUrlWatchParts;
  readonly #loop: Loop;
  #problem: string | null = null;
  /** Did the last request not arrive, for the first time? */
  #isSuspected = false;

  constructor(parts: PublicUrlWatchParts) {
    this.#parts = parts;
    this.#loop = new Loop({
      turn: () => this.#probe(),
      onFailure: (error) => parts.logger.warn({ problem: messageOf(error) }, 'public URL not probed'),
      schedule: parts.schedule,
    });
  }

  /** Why the last two requests did not arrive; `null` otherwise. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Sends the first request now. Later ones follow in the interval, until `term` aborts. */
  start(term: AbortSignal): void {
    this.#isSuspected = false;
    this.#loop.start({ term });
  }

  /** Sends a request now, for example because an apply has changed something. A failure is confirmed only after its pause. */
  probeNow(): void {
    if (!this.#isSuspected) this.#loop.wake();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Returns when the next request is sent. */
  async #probe(): Promise<number | null> {
    const intervalMs = this.#parts.intervalMs();
    const problem = intervalMs === null ? null : await this.#parts.probe();
    const isFirst = problem !== null && this.#problem === null && !this.#isSuspected;
    this.#isSuspected = isFirst;
    if (isFirst) return this.#parts.confirmMs ?? CONFIRM_MS;
    this.#note(problem);
    return intervalMs;
  }

  #note(problem: string | null): void {
    const hasChanged = problem !== this.#problem;
    this.#problem = problem;
    if (hasChanged) this.#parts.onChange();
  }
}
