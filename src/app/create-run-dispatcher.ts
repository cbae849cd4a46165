import type { Config, FactoryConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { RunId } from '../core/ids.ts';
import type { TicketOffice } from '../core/ports/executor.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Storage } from '../core/ports/storage.ts';
import { createCommandExecutor } from '../executors/command-executor.ts';
import { createDispatcher, type Dispatcher } from '../run/dispatcher.ts';
import type { FactoryExecutor } from '../run/factory-executor.ts';
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

/** The dispatcher with one executor for each factory that has one. */
export function createRunDispatcher(parts: RunParts): Dispatcher {
  const executors = new Map<string, FactoryExecutor>();
  for (const factory of parts.config.factories) {
    const executor = createFactoryExecutor(parts, factory);
    if (executor !== null) executors.set(factory.name, executor);
  }
  const { storage, secrets, onRunChanged, clock, logger } = parts;
  const { runQueue: queue, runReader: runs } = storage;
  return createDispatcher({ queue, runs, executors, secrets, onRunChanged, clock, logger });
}

function createFactoryExecutor(parts: RunParts, { runs }: FactoryConfig): FactoryExecutor | null {
  if (runs.executor === null) return null;
  const executor = createCommandExecutor({
    command: runs.executor.command,
    timeoutMs: runs.executor.timeoutMs,
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
