import { messageOf } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { CancelCall, Schedule } from '../../domain/time/schedule.ts';

/** One failed request may be an accident of the network. */
const CONFIRM_MS = 5_000;

export interface PublicUrlWatchParts {
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
  #problem: string | null = null;
  #cancel: CancelCall = () => {};
  #isRunning = false;
  #isStopped = false;

  constructor(parts: PublicUrlWatchParts) {
    this.#parts = parts;
  }

  /** Why the last two requests did not arrive; `null` otherwise. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Sends a request now, for example because an apply has changed something. Later ones follow in the interval. */
  probeNow(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#cancel();
    this.#isRunning = true;
    void this.#probeAndConfirm()
      .catch((error) => this.#parts.logger.warn({ problem: messageOf(error) }, 'public URL not probed'))
      .finally(() => {
        this.#isRunning = false;
        const intervalMs = this.#parts.intervalMs();
        if (intervalMs !== null && !this.#isStopped) {
          this.#cancel = this.#parts.schedule(intervalMs, () => this.probeNow());
        }
      });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #probeAndConfirm(): Promise<void> {
    if (this.#parts.intervalMs() === null) return this.#note(null);
    const first = await this.#parts.probe();
    if (first === null || this.#problem !== null) return this.#note(first);
    await new Promise<void>((resolve) => {
      this.#parts.schedule(this.#parts.confirmMs ?? CONFIRM_MS, resolve);
    });
    if (!this.#isStopped) this.#note(await this.#parts.probe());
  }

  #note(problem: string | null): void {
    const hasChanged = problem !== this.#problem;
    this.#problem = problem;
    if (hasChanged) this.#parts.onChange();
  }
}
