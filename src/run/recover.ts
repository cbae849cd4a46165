import type { Logger } from '../core/ports/logger.ts';
import type { Executor } from '../core/ports/runs/executor.ts';
import type { RunQueue } from '../core/ports/runs/run-queue.ts';
import type { ExecutorType, Run } from '../core/run.ts';
import type { Clock } from '../core/time/clock.ts';
import type { FactoryExecutor } from './factory-executor.ts';

/** A run that takes the daemon down with it must not do so for ever (threat model D11). */
export const MAX_INTERRUPTED_ATTEMPTS = 3;

/** What became of a run that an earlier daemon left behind as `running`. */
export type Recovered = 'started_again' | 'retried' | 'interrupted';

interface Parts {
  queue: RunQueue;
  executors: ReadonlyMap<string, FactoryExecutor>;
  clock: Clock;
  logger: Logger;
}

/**
 * Decides about every run that an earlier daemon left as `running` (decisions, "Run input"). Without a ticket it was
 * never started and is queued again. With one it is not started again: it ends as `failed`, `interrupted`, or is
 * queued as the next attempt where the configuration says `retry: interrupted`. What still runs of it is ended first.
 */
export async function recoverRuns(parts: Parts, onRecovered: (run: Run, outcome: Recovered) => void): Promise<void> {
  for (const type of executorTypes(parts.executors)) {
    const runs = await parts.queue.running(type);
    await Promise.all(
      runs.map(async (run) => {
        const outcome = await recoverRun(run, parts);
        parts.logger.info({ run: run.id, attempt: run.attempt, outcome }, 'a run left behind by an earlier daemon');
        onRecovered(run, outcome);
      }),
    );
  }
}

async function recoverRun(run: Run, { queue, executors, clock, logger }: Parts): Promise<Recovered> {
  const { id, attempt } = run;
  const entry = executors.get(run.factory);
  if (entry !== undefined && !(await wasPerhapsStarted(run, entry.executor, logger))) {
    await queue.release({ id, attempt, nextAttempt: attempt });
    return 'started_again';
  }
  await entry?.executor.endLeftovers(id);
  if (entry?.retryInterrupted && attempt < MAX_INTERRUPTED_ATTEMPTS) {
    await queue.release({ id, attempt, nextAttempt: attempt + 1 });
    return 'retried';
  }
  const result = { state: 'failed', error: 'interrupted', exitCode: null } as const;
  await queue.finish({ id, attempt, result, at: clock.wallMs() });
  return 'interrupted';
}

/** A ticket that cannot be looked up counts as there: a run too few is visible, a run twice does harm unseen. */
async function wasPerhapsStarted(run: Run, executor: Executor, logger: Logger): Promise<boolean> {
  try {
    return await executor.wasStarted(run.id, run.attempt);
  } catch (error) {
    logger.error({ err: error, run: run.id }, 'the ticket of a run cannot be read; it counts as started');
    return true;
  }
}

/** `command` is always among them: its runs may be left over from a configuration that named it. */
function executorTypes(executors: Parts['executors']): Set<ExecutorType> {
  return new Set(['command', ...[...executors.values()].map((entry) => entry.executor.type)]);
}
