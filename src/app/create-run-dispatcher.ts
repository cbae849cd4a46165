import type { Config, FactoryConfig } from '../config/config.ts';
import type { RunId } from '../core/ids.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { StartRecords } from '../core/ports/runs/executor.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Storage } from '../core/ports/storage.ts';
import type { Clock } from '../core/time/clock.ts';
import type { DataPaths } from '../data-dir/data-paths.ts';
import { createCommandExecutor } from '../executors/command/command-executor.ts';
import { findRunUser, openRunsDir, type RunUser } from '../executors/command/run-user.ts';
import { LOCAL_EXECUTORS } from '../executors/index.ts';
import { createRunLogWriter } from '../executors/log/run-log.ts';
import { createDispatcher, type Dispatcher } from '../run/dispatcher.ts';
import type { FactoryExecutor } from '../run/factory-queue.ts';
import type { WorkerTerms } from '../run/run-leases.ts';
import { createRedactingTransform } from '../secrets/redactor.ts';

export interface RunParts {
  config: Config;
  paths: DataPaths;
  storage: Storage;
  secrets: SecretStore;
  startRecords: StartRecords;
  /** `PATH` of commands: the one thing they get of the daemon's own environment. */
  commandPath: string;
  /** By factory: as whom its runs are started, where that is not the user of the daemon. */
  runUsers: ReadonlyMap<string, RunUser>;
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
  return createDispatcher({
    queue,
    runs,
    executors,
    localExecutors: LOCAL_EXECUTORS,
    workers,
    logs,
    secrets,
    onRunChanged,
    clock,
    logger,
  });
}

function createFactoryExecutor(parts: RunParts, { name, runs }: FactoryConfig): FactoryExecutor | null {
  if (runs.executor?.type !== 'command') return null;

  const executor = createCommandExecutor({
    command: runs.executor.command,
    user: parts.runUsers.get(name) ?? null,
    timeoutMs: runs.timeoutMs,
    runsDir: parts.config.runsDir,
    logsDir: parts.paths.runLogs,
    startRecords: parts.startRecords,
    searchPath: parts.commandPath,
    maskOutput: createRedactingTransform,
    clock: parts.clock,
    logger: parts.logger,
  });
  return { executor, concurrency: runs.concurrency, retryInterrupted: runs.retry === 'interrupted' };
}

/** The users that runs are started as, by factory. Throws `config_invalid` for one that cannot be used. */
export async function prepareRunUsers(
  { factories, runsDir }: Pick<Config, 'factories' | 'runsDir'>,
  commandPath: string,
): Promise<Map<string, RunUser>> {
  const users = new Map<string, RunUser>();
  for (const { name, runs } of factories) {
    if (runs.executor?.type !== 'command' || runs.executor.user === null) continue;
    const user = await findRunUser(runs.executor.user, commandPath);
    await openRunsDir(runsDir, user, commandPath);
    users.set(name, user);
  }
  return users;
}
