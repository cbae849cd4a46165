import type { CommandSettings } from '../../../config/executors/command-kind.ts';
import type { Executor } from '../../../domain/ports/executor.ts';
import type { ExecutorParts } from '../executor-parts.ts';
import { createCommandExecutor } from './command-executor.ts';
import { findRunUser, openRunsDir, type RunUser } from './run-user.ts';

/** Prepares the user of the runs, and creates the executor of one factory. Throws `config_invalid`. */
export async function prepareCommand({ command, user }: CommandSettings, parts: ExecutorParts): Promise<Executor> {
  const runUser = user === null ? null : await prepareUser(user, parts);
  return createCommandExecutor({ command, user: runUser, ...parts });
}

async function prepareUser(name: string, parts: Pick<ExecutorParts, 'runsDir' | 'searchPath'>): Promise<RunUser> {
  const user = await findRunUser(name, parts.searchPath);
  await openRunsDir(parts.runsDir, user, parts.searchPath);
  return user;
}
