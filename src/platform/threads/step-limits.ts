import { AppError } from '../../domain/errors.ts';
import { type CancelCall, scheduleAwakeCall } from '../../domain/time/schedule.ts';

/**
 * Limits of a task that names its steps: processor time of its thread in milliseconds, from the first step that it names.
 * A task that gets no processor, because other threads have a higher priority, is not slow.
 */
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
    super('internal', `it needs more than ${limitMs / 1000} s of processor time, at ${step}`);
    this.step = step;
    this.limitMs = limitMs;
    this.isStep = isStep;
  }
}

/** The least time between two measurements, so that a thread close to its limit is not asked at each turn. */
const MIN_PAUSE_MS = 20;

/** The processor time that a thread used since it started, in milliseconds. Rejects once the thread has ended. */
type MeasureThread = () => Promise<number>;

/** Watches the steps of one task and reports once when they take too long. */
export class StepWatch {
  readonly #limits: StepLimits;
  readonly #measure: MeasureThread;
  readonly #onSlow: (error: SlowTaskError) => void;
  #cancelAll: CancelCall | null = null;
  #cancelStep: CancelCall = () => {};
  #step = '';

  constructor(limits: StepLimits, measure: MeasureThread, onSlow: (error: SlowTaskError) => void) {
    this.#limits = limits;
    this.#measure = measure;
    this.#onSlow = onSlow;
  }

  /** @param atMs the processor time that the thread had used when the step began */
  begin(step: string, atMs: number): void {
    const { stepMs, allMs } = this.#limits;
    this.#step = step;
    this.#cancelStep();
    this.#cancelStep = this.#callOnceUsed(stepMs, atMs, () => this.#report(stepMs, true));
    this.#cancelAll ??= this.#callOnceUsed(allMs, atMs, () => this.#report(allMs, false));
  }

  stop(): void {
    this.#cancelStep();
    this.#cancelAll?.();
  }

  /** Measures no earlier than the thread can have used this much since `fromMs`. */
  #callOnceUsed(limitMs: number, fromMs: number, callback: () => void): CancelCall {
    let isCancelled = false;
    let cancelCheck: CancelCall;
    const schedule = (delayMs: number) => {
      // A thread that has ended is reported by its calls.
      cancelCheck = scheduleAwakeCall(delayMs, () => void check().catch(() => {}));
    };
    const check = async () => {
      const usedMs = (await this.#measure()) - fromMs;
      if (isCancelled) return;
      if (usedMs >= limitMs) callback();
      else schedule(Math.max(limitMs - usedMs, MIN_PAUSE_MS));
    };
    schedule(limitMs);
    return () => {
      isCancelled = true;
      cancelCheck();
    };
  }

  #report(limitMs: number, isStep: boolean): void {
    this.stop();
    this.#onSlow(new SlowTaskError(this.#step, limitMs, isStep));
  }
}
