import type { Config } from '../../config/config.ts';
import type { ReconciliationEnd } from '../../domain/applies/reconciliation.ts';
import type { Logger } from '../../domain/ports/logger.ts';

/**
 * Makes a listener that logs a warning for each factory without an executor: after its first pass since the start, and
 * after each apply. Its runs are queued and nothing starts them.
 */
export function createMissingExecutorWarning(
  config: Pick<Config, 'factories'>,
  logger: Logger,
): (pass: ReconciliationEnd) => void {
  const hasExecutor = (factory: string) =>
    config.factories.some(({ name, runs }) => name === factory && runs.executor !== null);
  const warned = new Set<string>();
  return ({ factory, result }) => {
    if (hasExecutor(factory) || (warned.has(factory) && result !== 'applied')) return;
    warned.add(factory);
    const problem = 'runs stay queued: set runs.executor in dockbell.yaml and reload it, or start a worker';
    logger.warn({ factory, problem }, 'factory has no executor');
  };
}

/**
 * Makes a listener that logs one line for each reconciliation that did or found something new. One that fails like the
 * one before it has the same row, and gets no second line. A factory that serves nothing yet and waits for a secret is no
 * reason for a warning.
 */
export function createReconciliationLog(
  logger: Logger,
  isServing: (factory: string) => boolean,
): (reconciliation: ReconciliationEnd) => void {
  const logged = new Map<string, string>();
  return ({ id, factory, revision, result, reason, message, startedAt, finishedAt }) => {
    if (logged.get(factory) === id) return;
    logged.set(factory, id);
    const fields = { factory, revision, result, reason, durationMs: finishedAt - startedAt };
    if (result === 'applied') logger.info(fields, 'revision applied');
    else if (reason === 'SecretMissing' && !isServing(factory)) {
      logger.info({ ...fields, problem: message }, 'revision waits for a secret');
    } else if (result !== 'unchanged') logger.warn({ ...fields, problem: message }, 'revision not applied');
  };
}
