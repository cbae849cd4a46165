import type { Config, FactoryConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { RunId } from '../core/ids.ts';
import type { TicketOffice } from '../core/ports/executor.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Storage } from '../core/ports/storage.ts';
import { createCommandExecutor } from '../executors/command-executor.ts';
import { createRunLogWriter } from '../executors/run-log.ts';
import { createDispatcher, type Dispatcher } from '../run/dispatcher.ts';
import type { FactoryExecutor } from '../run/factory-executor.ts';
import type { WorkerTerms } from '../run/run-leases.ts';
import { createRedactingTransform } from '../secrets/redactor.ts';
import type { DataPaths } from './data-paths.ts';

export interface RunParts {
  config: Config;
  paths: DataPaths;
  storage: Storage;
  secrets: SecretStore;
  tickets: TicketOffice;
  /** `PATH` of commands: the one thing they get of the daemon's own environment. */
  commandPath: string;
  onRunChanged(run: RunId): void;
  clock: Clock;
  logger: Logger;
}

/** The dispatcher with a command for each factory that has one; the runs of the others are for workers. */
export function createRunDispatcher(parts: RunParts): Dispatcher {
  const executors = new Map<string, FactoryExecutor>();
  const workers = new Map<string, WorkerTerms>();
  for (const factory of parts.config.factories) {
    const executor = createFactoryExecutor(parts, factory);
    if (executor !== null) executors.set(factory.name, executor);
    else workers.set(factory.name, { ...factory.runs, hasExecutor: factory.runs.executor !== null });
  }
  const { storage, secrets, onRunChanged, clock, logger } = parts;
  const { runQueue: queue, runReader: runs } = storage;
  const logs = createRunLogWriter(parts.paths.runLogs, clock);
  return createDispatcher({ queue, runs, executors, workers, logs, secrets, onRunChanged, clock, logger });
}

function createFactoryExecutor(parts: RunParts, { runs }: FactoryConfig): FactoryExecutor | null {
  if (runs.executor?.type !== 'command') return null;
  const executor = createCommandExecutor({
    command: runs.executor.command,
    timeoutMs: runs.timeoutMs,
    runsDir: parts.paths.runs,
    logsDir: parts.paths.runLogs,
    tickets: parts.tickets,
    path: parts.commandPath,
    maskOutput: createRedactingTransform,
    clock: parts.clock,
    logger: parts.logger,
  });
  return { executor, concurrency: runs.concurrency, retryInterrupted: runs.retry === 'interrupted' };
}
