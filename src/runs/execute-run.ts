import { AppError } from '../domain/errors.ts';
import type { Accepted, ExecutionRequest, Executor, NotStarted } from '../domain/ports/executor.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { RunReader } from '../domain/ports/run-queue.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { RunInput, RunResult } from '../domain/resources/run.ts';
import { renderRunDocuments } from './envelope.ts';
import { readRunContext } from './read-context.ts';
import { isPassing, resolveRunSecrets } from './resolve-run-secrets.ts';

/** What the execution of an attempt takes. */
interface ExecutionParts {
  executor: Executor;
  runs: Pick<RunReader, 'agentFiles'>;
  secrets: Pick<SecretStore, 'resolve'>;
  logger: Logger;
}

type Orders = Pick<ExecutionRequest, 'signal' | 'onStarted'>;

/**
 * Executes one attempt. Never throws: each failure is the result of the run, or `not_started` if the run is not at fault.
 */
export async function executeRun(
  input: RunInput,
  parts: ExecutionParts,
  orders: Orders,
): Promise<RunResult | NotStarted | Accepted> {
  try {
    const resolved = await resolveRunSecrets(input, parts.secrets, orders.signal);
    if (!resolved.ok) return failed(resolved.error);
    const context = readRunContext(input);
    const documents = renderRunDocuments(input, context);
    const readAgentFiles = () => parts.runs.agentFiles(input.run.id);
    return await parts.executor.execute({
      input,
      documents,
      context,
      secrets: resolved.secrets,
      readAgentFiles,
      ...orders,
    });
  } catch (error) {
    if (isPassing(error)) return { state: 'not_started', problem: error.message, nextAttempt: input.run.attempt };
    parts.logger.error({ err: error, run: input.run.id }, 'run failed with an internal error');
    const text = error instanceof AppError ? error.message : 'internal error; see the log of the daemon';
    return failed(text);
  }
}

function failed(error: string): RunResult {
  return { state: 'failed', error, exitCode: null };
}
