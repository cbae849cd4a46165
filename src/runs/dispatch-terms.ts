import type { Executor } from '../domain/ports/executor.ts';
import type { DrainState } from '../domain/ports/pauses.ts';
import type { RunInput } from '../domain/resources/run.ts';
import type { BudgetTerms } from '../domain/runs/run-policy.ts';
import type { WorkerCheckout } from '../domain/runs/workspace.ts';

/** How the configuration executes runs. */
export interface DispatchTerms {
  /** By factory. Runs of a factory without an entry stay queued, unless workers claim them. */
  executors: ReadonlyMap<string, FactoryExecutor>;
  /** By factory: those whose runs workers may claim. */
  workers: ReadonlyMap<string, WorkerTerms>;
}

/** How the daemon executes the runs of one factory. */
export interface FactoryExecutor {
  executor: Executor;
  /** Maximum number of runs of the factory at the same time. */
  concurrency: number;
  /** `retry: interrupted`: a run that a crash interrupted is retried, up to its third attempt. */
  retryInterrupted?: boolean;
  /** The number of attempts of the factory that may start in a period. Default: no limit. */
  budget?: BudgetTerms | null;
}

/** How workers hold the runs of one factory. */
export interface WorkerTerms {
  /** Maximum number of runs of the factory at the same time. */
  concurrency: number;
  /** Maximum time between two heartbeats of a worker. */
  leaseMs: number;
  /** Maximum duration of one attempt, also if its worker sends heartbeats. */
  timeoutMs: number;
  /** Does the configuration name the executor `queue`? Without any executor, workers may claim runs too. */
  hasExecutor: boolean;
  /** The number of attempts of the factory that may start in a period. Default: no limit. */
  budget?: BudgetTerms | null;
  /** `interrupted`: an attempt that was started and lost its worker is retried. Others that were lost always are. */
  retry: 'never' | 'interrupted';
  /** What a worker checks out for a run of the factory. Default: nothing. */
  findCheckout?(input: RunInput): WorkerCheckout | null;
}

/** What the parts of a dispatcher share. `RunDrain` changes the phase, the dispatcher the rest. */
export interface DispatchState {
  /** Do runs start? */
  phase: DrainState['phase'];
  terms: DispatchTerms;
  /** Does this daemon lead? Only the leader knows what workers and receivers hold. */
  leads: boolean;
  /** In which this daemon leads, or led last. */
  term: AbortSignal;
}
