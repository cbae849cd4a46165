import { AppError } from '../domain/errors.ts';
import type { DrainControl, DrainState } from '../domain/ports/pauses.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { DispatchState } from './dispatch-terms.ts';
import type { FactoryQueues } from './factory-queues.ts';
import type { RunEvents } from './run-events.ts';
import type { RunLeases } from './run-leases.ts';

interface DrainParts {
  state: Pick<DispatchState, 'phase'>;
  clock: Pick<Clock, 'wallMs'>;
  queues: Pick<FactoryQueues, 'countExecuting'>;
  leases: Pick<RunLeases, 'countAllHeld'>;
  events: RunEvents;
}

/**
 * Whether runs start, of all factories. It is not stored: the next daemon starts runs.
 *
 * ```
 *            drain                beginStop
 *  running ◀───────▶ draining ──────────────▶ stopping
 *     │      resume                              ▲
 *     └──────────────────────────────────────────┘
 * ```
 */
export class RunDrain implements DrainControl {
  readonly #parts: DrainParts;
  #since: number | null = null;

  constructor(parts: DrainParts) {
    this.#parts = parts;
  }

  state(): DrainState {
    const { state, queues, leases } = this.#parts;
    const [executing, held] = [queues.countExecuting(), leases.countAllHeld()];
    return { phase: state.phase, since: this.#since, executing, held };
  }

  drain(): void {
    if (this.#parts.state.phase === 'running') this.#begin('draining');
  }

  resume(): void {
    const { state, events } = this.#parts;
    if (state.phase === 'stopping')
      throw new AppError('conflict', 'The daemon is stopping. Runs start after its next start.');
    state.phase = 'running';
    this.#since = null;
    events.emit('resumed');
  }

  /** A drain that cannot be taken back. */
  beginStop(): void {
    if (this.#parts.state.phase !== 'stopping') this.#begin('stopping');
  }

  #begin(phase: DrainState['phase']): void {
    const { state, clock, events } = this.#parts;
    state.phase = phase;
    this.#since ??= clock.wallMs();
    events.emit('drained');
  }
}
