import type { WaitingRun, WaitReason } from '../domain/ports/run-control.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { DispatchState } from './dispatch-terms.ts';
import { explainGate, explainWait } from './explain-wait.ts';
import type { FactoryQueues } from './factory-queues.ts';
import type { RunPauses } from './run-pauses.ts';
import type { Workers } from './workers/open-workers.ts';

interface WaitParts {
  state: DispatchState;
  pauses: Pick<RunPauses, 'explain'>;
  queues: FactoryQueues;
  workers: Pick<Workers, 'leases' | 'claims' | 'registry'>;
  clock: Pick<Clock, 'wallMs'>;
}

/** Knows why queued runs wait. */
export class RunWaits {
  readonly #parts: WaitParts;

  constructor(parts: WaitParts) {
    this.#parts = parts;
  }

  /** As `RunControl.explainWait`: a pause, then the policies of the run, then what keeps every run of its factory from starting. */
  explain(run: WaitingRun): WaitReason {
    const { pauses, clock } = this.#parts;
    const paused = pauses.explain(run.factory, run.automation);
    if (paused !== null) return { reason: 'paused', text: paused };
    return explainGate(run, clock.wallMs()) ?? this.#explainQueue(run);
  }

  #explainQueue({ factory, runsOn }: WaitingRun): WaitReason {
    const { state, queues, workers } = this.#parts;
    const { phase, leads } = state;
    const executor = state.terms.executors.get(factory);
    const worker = state.terms.workers.get(factory);
    const queue = queues.of(factory);
    const concurrency = executor?.concurrency ?? worker?.concurrency ?? 0;
    return explainWait({
      factory,
      phase: phase === 'running' && !leads ? 'recovering' : phase,
      executedBy: executor !== undefined ? 'daemon' : worker !== undefined ? 'workers' : null,
      isFull: this.#countRunning(factory) >= concurrency,
      concurrency,
      hasExecutor: worker?.hasExecutor ?? true,
      runsOn,
      supply: workers.registry.supply(factory, runsOn),
      startFailure: queue?.startFailure()?.problem ?? null,
      budgetOpensAt: executor === undefined ? workers.claims.budgetOpensAt(factory) : (queue?.budgetOpensAt() ?? null),
    });
  }

  /** The runs of all daemons are not counted again since the last claim; those of this daemon are known. */
  #countRunning(factory: string): number {
    const { queues, workers } = this.#parts;
    const queue = queues.of(factory);
    const here = workers.leases.countHeld(factory) + (queue?.countExecuting() ?? 0);
    return Math.max(here, queue?.countRunning() ?? 0);
  }
}
