import type { FactoryConfig } from '../config/config.ts';
import { LED_EXECUTORS, LOCAL_EXECUTORS } from '../config/executors/executors.ts';
import type { RunId } from '../domain/ids.ts';
import type { Executor, RunLogWriter, StartRecords } from '../domain/ports/executor.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { RunObserver } from '../domain/ports/run-control.ts';
import type { RunGroup } from '../domain/ports/run-group.ts';
import type { RunReader } from '../domain/ports/run-queue.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { Storage } from '../domain/ports/storage.ts';
import type { Run } from '../domain/resources/run.ts';
import type { Environment } from '../domain/runs/reserved-variables.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { DispatchTerms, FactoryExecutor, WorkerTerms } from './dispatch-terms.ts';
import { Dispatcher } from './dispatcher.ts';
import { createWorkerCheckouts, createWorkspaces } from './executors/check-out-workspaces.ts';
import { createExecutor } from './executors/create-executor.ts';
import type { ExecutorParts } from './executors/executor-parts.ts';

export interface RunParts {
  terms: DispatchTerms;
  group?: RunGroup;
  storage: Pick<Storage, 'runQueue' | 'runReader' | 'pauses'>;
  logs: RunLogWriter;
  observer: RunObserver;
  secrets: Pick<SecretStore, 'resolve'>;
  openMask?(run: Run): Promise<(text: string) => string>;
  startRecords: Pick<StartRecords, 'create' | 'exists'>;
  onRunChanged(run: RunId): void;
  onSlotFreed?(factory: string): void;
  clock: Clock;
  logger: Logger;
}

export function createRunDispatcher({ storage, ...parts }: RunParts): Dispatcher {
  return new Dispatcher({
    queue: storage.runQueue,
    runs: storage.runReader,
    pauses: storage.pauses,
    localExecutors: LOCAL_EXECUTORS,
    ledExecutors: LED_EXECUTORS,
    ...parts,
  });
}

/** The executors that the configuration names, by factory. Throws `config_invalid` for one that cannot be used. */
export async function createExecutors(
  factories: readonly FactoryConfig[],
  parts: Omit<ExecutorParts, 'factory' | 'timeoutMs' | 'checkOut'>,
  environment: Environment,
): Promise<Map<string, Executor>> {
  const executors = new Map<string, Executor>();
  for (const factory of factories) {
    const { name, runs } = factory;
    const { timeoutMs } = runs;
    const checkOut = createWorkspaces(factory, environment);
    const executor =
      runs.executor === null
        ? null
        : await createExecutor(runs.executor, { ...parts, factory: name, timeoutMs, checkOut });
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
  for (const factory of factories) {
    const { name, runs } = factory;
    const { concurrency, retry, budget } = runs;
    const executor = executorOf.get(name);
    if (executor === undefined)
      workers.set(name, {
        ...runs,
        hasExecutor: runs.executor !== null,
        findCheckout: createWorkerCheckouts(factory),
      });
    else executors.set(name, { executor, concurrency, retryInterrupted: retry === 'interrupted', budget });
  }
  return { executors, workers };
}

/** The dispatcher logs each run that has ended. A caller in the same process may want to see the run, too. */
export function reportEnds(
  onRunChanged: (id: RunId) => void,
  runs: Pick<RunReader, 'get'>,
  onRunEnded: ((run: Run) => void) | undefined,
): (id: RunId) => void {
  if (onRunEnded === undefined) return onRunChanged;
  const reportEnd = async (id: RunId) => {
    const run = await runs.get(id).catch(() => null);
    if (run !== null && run.state !== 'queued' && run.state !== 'running') onRunEnded(run);
  };
  return (id) => {
    onRunChanged(id);
    void reportEnd(id);
  };
}
