import type { Logger } from '../core/ports/logger.ts';
import type { Executor } from '../core/ports/runs/executor.ts';
import type { RunObserver } from '../core/ports/runs/run-observer.ts';
import type { RunQueue } from '../core/ports/runs/run-queue.ts';
import type { ExecutorType, Run } from '../core/resources/run.ts';
import { NO_RETRY, RETRY_INTERRUPTED } from '../core/run-policy.ts';
import type { Clock } from '../core/time/clock.ts';
import type { FactoryExecutor } from './factory-queue.ts';

/** The outcome for a run that a daemon left as `running`. */
export type Recovered = 'started_again' | 'retried' | 'interrupted';

interface Parts {
  queue: RunQueue;
  /** As `OfAttempt.machine`. */
  machine: string | null;
  /** By factory. */
  executors: ReadonlyMap<string, FactoryExecutor>;
  observer: RunObserver;
  clock: Clock;
  logger: Logger;
}

/** The runs to recover. */
interface Left {
  /** Types of executors, also those that no factory has now. */
  executors: readonly ExecutorType[];
  /** Selects the runs of machines that no longer execute them. Called when the runs have been read. */
  findGone(): Promise<(machine: string | null) => boolean>;
}

/**
 * Recovers each run that a daemon left as `running` (decisions, "Run input"). A run without a start record was never started
 * and is queued again. A run with one is not started again: it ends as `failed`, `interrupted`, or with `retry: interrupted` is
 * queued as the next attempt. Its remaining processes are ended first.
 */
export async function recoverRuns(
  parts: Parts,
  { executors, findGone }: Left,
  onRecovered: (run: Run, outcome: Recovered) => void,
): Promise<void> {
  for (const type of executors) {
    const runs = await parts.queue.running(type);
    if (runs.length === 0) continue;
    const isGone = await findGone();
    const gone = runs.filter(({ machine }) => isGone(machine));
    await Promise.all(
      gone.map(async ({ run, machine }) => {
        const outcome = await recoverRun(run, machine === parts.machine, parts);
        parts.logger.info({ run: run.id, attempt: run.attempt, outcome }, 'run recovered');
        onRecovered(run, outcome);
      }),
    );
  }
}

/** @param isLocal was it executed here? Another machine keeps its start records: then the run counts as started */
async function recoverRun(
  run: Run,
  isLocal: boolean,
  { queue, machine, executors, observer, clock, logger }: Parts,
): Promise<Recovered> {
  const { id, attempt } = run;
  const here = isLocal ? machine : null;
  const current = executors.get(run.factory);
  // Another executor knows nothing about this run, which then counts as started.
  const entry = current?.executor.type === run.executor ? current : undefined;
  if (isLocal && entry !== undefined && !(await wasPerhapsStarted(run, entry.executor, logger))) {
    await queue.release({ id, attempt, machine: here });
    return 'started_again';
  }
  if (isLocal) await entry?.executor.endLeftovers(run);
  const at = clock.wallMs();
  const result = { state: 'failed', error: 'interrupted', exitCode: null } as const;
  const otherwise = entry?.retryInterrupted ? RETRY_INTERRUPTED : NO_RETRY;
  const end = await queue.finish({ id, attempt, machine: here, result, at, otherwise });
  observer.onEnded(run, result, at);
  return end !== null && end.nextAttemptAt !== null ? 'retried' : 'interrupted';
}

/** If the record cannot be read, the run counts as started: a missing run is visible, a second start is not. */
async function wasPerhapsStarted(run: Run, executor: Executor, logger: Logger): Promise<boolean> {
  try {
    return await executor.wasStarted(run.id, run.attempt);
  } catch (error) {
    logger.error({ err: error, run: run.id }, 'start record cannot be read, the run counts as started');
    return true;
  }
}
