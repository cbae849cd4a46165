import type { Executor } from '../../../domain/ports/runs/executor.ts';
import type { ExecutorParts } from '../executor-kind.ts';
import { createCommandExecutor } from './command-executor.ts';
import { findRunUser, openRunsDir, type RunUser } from './run-user.ts';

/** What the configuration of a factory says about its command. */
export interface CommandSettings {
  /** Program and arguments; paths that were relative to the file are absolute. */
  readonly command: readonly string[];
  /** User of the machine that starts the runs; `null` for the user of the daemon. */
  readonly user: string | null;
}

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
