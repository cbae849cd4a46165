import { AppError } from '../domain/errors.ts';
import type { DrainControl, DrainState } from '../domain/ports/runs/drain-control.ts';
import type { Clock } from '../domain/time/clock.ts';

interface DrainParts {
  clock: Pick<Clock, 'wallMs'>;
  countExecuting(): number;
  countHeld(): number;
  /** Starts no further run. */
  onBegun(): void;
  /** Runs may start again. */
  onResumed(): void;
}

/** Whether runs start, of all factories. It is not stored: the next daemon starts runs. */
export class RunDrain implements DrainControl {
  readonly #parts: DrainParts;
  #phase: DrainState['phase'] = 'running';
  #since: number | null = null;

  constructor(parts: DrainParts) {
    this.#parts = parts;
  }

  /** Does no run start? */
  get isOn(): boolean {
    return this.#phase !== 'running';
  }

  state(): DrainState {
    const { countExecuting, countHeld } = this.#parts;
    return { phase: this.#phase, since: this.#since, executing: countExecuting(), held: countHeld() };
  }

  drain(): void {
    if (this.#phase === 'running') this.#begin('draining');
  }

  resume(): void {
    if (this.#phase === 'stopping')
      throw new AppError('conflict', 'The daemon is stopping. Runs start after its next start.');
    this.#phase = 'running';
    this.#since = null;
    this.#parts.onResumed();
  }

  /** A drain that cannot be taken back. */
  beginStop(): void {
    if (this.#phase !== 'stopping') this.#begin('stopping');
  }

  #begin(phase: DrainState['phase']): void {
    this.#phase = phase;
    this.#since ??= this.#parts.clock.wallMs();
    this.#parts.onBegun();
  }
}
