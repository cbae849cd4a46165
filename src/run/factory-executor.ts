import type { Executor } from '../core/ports/runs/executor.ts';

/** How the runs of one factory are carried out. */
export interface FactoryExecutor {
  executor: Executor;
  /** At most so many runs of the factory at a time. */
  concurrency: number;
  /** `retry: interrupted`: a run that a crash interrupted is tried again, up to its third attempt. */
  retryInterrupted?: boolean;
}
