// What executes an attempt. In: an `ExecutionRequest` (`domain/ports/executor.ts`). Out: how it ended, that it was not
// started, or that a receiver accepted it.
// Next: `command/command-executor.ts`, the example; `container/container-executor.ts`; `http/http-executor.ts`. What they
// share: `start-records.ts` proves starts, `log/open-run-logs.ts` keeps output, `files/run-paths.ts` names files,
// `watchdog/run-watchdog.ts` ends processes if the daemon cannot.

import type { ExecutorConfig, ExecutorName } from '../../config/executors/executors.ts';
import type { Executor } from '../../domain/ports/executor.ts';
import type { ExecutorParts } from './executor-parts.ts';

type Create<Name> = (config: Extract<ExecutorConfig, { type: Name }>, parts: ExecutorParts) => Promise<Executor>;

/**
 * Checks what the machine has to provide, and creates the executor of one factory. `null` if workers claim the runs over the
 * management API instead. The code is imported when it is needed: most factories use one executor.
 */
const CREATE: { [Name in ExecutorName]: Create<Name> | null } = {
  command: async (config, parts) => (await import('./command/prepare-command.ts')).prepareCommand(config, parts),
  queue: null,
  http: async (config, parts) => (await import('./http/http-executor.ts')).createHttpExecutor(config, parts),
  container: async (config, parts) =>
    (await import('./container/container-executor.ts')).createContainerExecutor(config, parts),
};

/** Creates the executor of one factory. Resolves with `null` if workers claim its runs. Throws `config_invalid`. */
export async function createExecutor(config: ExecutorConfig, parts: ExecutorParts): Promise<Executor | null> {
  const create = CREATE[config.type] as Create<ExecutorName> | null;
  return create === null ? null : create(config, parts);
}
