import type { FactoryConfig } from '../config/config.ts';
import type { RunId } from '../core/ids.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Executor, RunLogWriter } from '../core/ports/runs/executor.ts';
import type { RunObserver } from '../core/ports/runs/run-observer.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Storage } from '../core/ports/storage.ts';
import type { Clock } from '../core/time/clock.ts';
import type { ExecutorParts } from '../executors/executor-kind.ts';
import { createExecutor, LOCAL_EXECUTORS } from '../executors/index.ts';
import { createDispatcher, type Dispatcher, type DispatchTerms } from '../run/dispatcher.ts';
import type { FactoryExecutor } from '../run/factory-queue.ts';
import type { WorkerTerms } from '../run/run-leases.ts';

export interface RunParts {
  terms: DispatchTerms;
  storage: Pick<Storage, 'runQueue' | 'runReader'>;
  logs: RunLogWriter;
  observer: RunObserver;
  secrets: Pick<SecretStore, 'resolve'>;
  onRunChanged(run: RunId): void;
  clock: Clock;
  logger: Logger;
}

export function createRunDispatcher({ storage, ...parts }: RunParts): Dispatcher {
  return createDispatcher({
    queue: storage.runQueue,
    runs: storage.runReader,
    localExecutors: LOCAL_EXECUTORS,
    ...parts,
  });
}

/** The executors that the configuration names, by factory. Throws `config_invalid` for one that cannot be used. */
export async function createExecutors(
  factories: readonly FactoryConfig[],
  parts: Omit<ExecutorParts, 'timeoutMs'>,
): Promise<Map<string, Executor>> {
  const executors = new Map<string, Executor>();
  for (const { name, runs } of factories) {
    const { timeoutMs } = runs;
    const executor = runs.executor === null ? null : await createExecutor(runs.executor, { ...parts, timeoutMs });
    if (executor !== null) executors.set(name, executor);
  }
  return executors;
}

/** How the configuration executes the runs of each factory: with an executor of the daemon, otherwise by workers. */
export function composeTerms(
  factories: readonly FactoryConfig[],
  executorOf: ReadonlyMap<string, Executor>,
): DispatchTerms {
  const executors = new Map<string, FactoryExecutor>();
  const workers = new Map<string, WorkerTerms>();
  for (const { name, runs } of factories) {
    const { concurrency, retry } = runs;
    const executor = executorOf.get(name);
    if (executor === undefined) workers.set(name, { ...runs, hasExecutor: runs.executor !== null });
    else executors.set(name, { executor, concurrency, retryInterrupted: retry === 'interrupted' });
  }
  return { executors, workers };
}
