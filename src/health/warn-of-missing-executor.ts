import type { Config } from '../config/config.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Reconciliation } from '../core/reconciliation.ts';

/**
 * Makes a listener that logs a warning for each factory without an executor: after its first pass since the start, and
 * after each apply. Its runs are queued and nothing starts them.
 */
export function createMissingExecutorWarning({ factories }: Config, logger: Logger): (pass: Reconciliation) => void {
  const withoutExecutor = new Set(factories.filter(({ runs }) => runs.executor === null).map(({ name }) => name));
  const warned = new Set<string>();
  return ({ factory, result }) => {
    if (!withoutExecutor.has(factory) || (warned.has(factory) && result !== 'applied')) return;
    warned.add(factory);
    const problem = 'runs stay queued: set runs.executor in dockbell.yaml and restart the daemon, or start a worker';
    logger.warn({ factory, problem }, 'factory has no executor');
  };
}
