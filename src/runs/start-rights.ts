import type { Executor } from '../domain/ports/executor.ts';
import type { RunGroup } from '../domain/ports/run-group.ts';
import type { ExecutorType } from '../domain/resources/run.ts';
import type { DispatchState } from './dispatch-terms.ts';

interface StartRightParts {
  state: DispatchState;
  group: Pick<RunGroup, 'isLeaseHeld' | 'size'>;
  /** As in the options of the dispatcher. */
  ledExecutors: readonly ExecutorType[];
}

/** Which runs this daemon may start: the leader sends requests to receivers, every daemon with a lease starts processes. */
export class StartRights {
  readonly #parts: StartRightParts;

  constructor(parts: StartRightParts) {
    this.#parts = parts;
  }

  /** Does only the leader execute runs with this executor? */
  isLed({ type }: Executor): boolean {
    return this.#parts.ledExecutors.includes(type);
  }

  /** May runs of this executor start here now? */
  mayStart(executor: Executor): boolean {
    const { state, group } = this.#parts;
    return state.phase === 'running' && (this.isLed(executor) ? state.leads : group.isLeaseHeld());
  }

  /** Aborts when another daemon may recover the runs that this one executes as the leader. */
  get term(): AbortSignal {
    return this.#parts.state.term;
  }

  /** Number of daemons that claim runs of this executor. */
  countClaiming(executor: Executor): number {
    return this.isLed(executor) ? 1 : this.#parts.group.size();
  }
}
