import type { Reconciliation } from '../domain/applies/reconciliation.ts';
import type { PassStepName, TimedPass } from '../domain/ports/tracing.ts';
import type { Clock } from '../domain/time/clock.ts';

/** Why and when a pass started. */
type PassStart = Pick<TimedPass, 'startedAt' | 'pushes'>;

/** Measures the steps of one pass. */
export class PassTimes {
  readonly #clock: Clock;
  readonly #beganAt: number;
  readonly #steps: TimedPass['steps'] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganAt = clock.monotonicMs();
  }

  async measure<T>(name: PassStepName, work: () => Promise<T>): Promise<T> {
    const fromMs = this.#elapsedMs();
    try {
      return await work();
    } finally {
      this.#steps.push({ name, fromMs, untilMs: this.#elapsedMs() });
    }
  }

  describe({ id, factory, result, reason, revision }: Reconciliation, start: PassStart): TimedPass {
    const outcome = { id, factory, result, reason, revision };
    return { ...outcome, ...start, durationMs: this.#elapsedMs(), steps: this.#steps };
  }

  #elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#beganAt;
  }
}
