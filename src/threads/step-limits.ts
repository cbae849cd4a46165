import { AppError } from '../core/errors.ts';
import { type CancelCall, scheduleAwakeCall } from '../core/time/schedule.ts';

/** Time limits of a task that names its steps, counted from the first step that it names. */
export interface StepLimits {
  /** For one step. */
  stepMs: number;
  /** For all steps together. */
  allMs: number;
}

/** A task exceeded its `StepLimits` at the step named. */
export class SlowTaskError extends AppError {
  readonly step: string;
  readonly limitMs: number;
  /** Did this step alone exceed the limit, not all of them together? */
  readonly isStep: boolean;

  constructor(step: string, limitMs: number, isStep: boolean) {
    super('internal', `it took longer than ${limitMs / 1000} s, at ${step}`);
    this.step = step;
    this.limitMs = limitMs;
    this.isStep = isStep;
  }
}

/** Watches the steps of one task and reports once when they take too long. */
export class StepWatch {
  readonly #limits: StepLimits;
  readonly #onSlow: (error: SlowTaskError) => void;
  #cancelAll: CancelCall | null = null;
  #cancelStep: CancelCall = () => {};
  #step = '';

  constructor(limits: StepLimits, onSlow: (error: SlowTaskError) => void) {
    this.#limits = limits;
    this.#onSlow = onSlow;
  }

  begin(step: string): void {
    const { stepMs, allMs } = this.#limits;
    this.#step = step;
    this.#cancelStep();
    this.#cancelStep = scheduleAwakeCall(stepMs, () => this.#report(stepMs, true));
    this.#cancelAll ??= scheduleAwakeCall(allMs, () => this.#report(allMs, false));
  }

  stop(): void {
    this.#cancelStep();
    this.#cancelAll?.();
  }

  #report(limitMs: number, isStep: boolean): void {
    this.stop();
    this.#onSlow(new SlowTaskError(this.#step, limitMs, isStep));
  }
}
