import type { RunId } from '../domain/ids.ts';
import type { Executor } from '../domain/ports/executor.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { RunObserver } from '../domain/ports/run-control.ts';
import type { RunGroup } from '../domain/ports/run-group.ts';
import type { RunQueue } from '../domain/ports/run-queue.ts';
import type { ExecutorType, Run } from '../domain/resources/run.ts';
import { NO_RETRY, RETRY_INTERRUPTED } from '../domain/runs/run-policy.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { DispatchState } from './dispatch-terms.ts';
import type { RunEnds } from './run-ends.ts';
import type { RunEvents } from './run-events.ts';

/** The outcome for a run that a daemon left as `running`. `ended_elsewhere`: another daemon recorded its end first. */
type Recovered = 'started_again' | 'retried' | 'interrupted' | 'ended_elsewhere';

interface RecoveryParts {
  queue: Pick<RunQueue, 'running' | 'release'>;
  ends: RunEnds;
  group: Pick<RunGroup, 'machine' | 'liveMachines'>;
  state: DispatchState;
  /** As in the options of the dispatcher. */
  localExecutors: readonly ExecutorType[];
  ledExecutors: readonly ExecutorType[];
  observer: RunObserver;
  clock: Clock;
  logger: Logger;
  events: RunEvents;
}

/**
 * Recovers each run that a daemon left as `running` (decisions, "Run input"). A run without a start record was never started
 * and is queued again. A run with one is not started again: it ends as `failed`, `interrupted`, or with `retry: interrupted` is
 * queued as the next attempt. Its remaining processes are ended first.
 */
export class RunRecovery {
  readonly #parts: RecoveryParts;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** The runs that an earlier daemon on this machine executed. */
  ownRuns(): Promise<void> {
    const { localExecutors, group } = this.#parts;
    return this.#recover(localExecutors, async () => (machine) => machine === group.machine);
  }

  /** The runs that an earlier leader sent to receivers, and that none has accepted. */
  ledRuns(): Promise<void> {
    return this.#recover(this.#parts.ledExecutors, async () => () => true);
  }

  /** The runs of machines that no longer hold a lease: their processes have ended. */
  lostRuns(): Promise<void> {
    const { localExecutors, group } = this.#parts;
    return this.#recover(localExecutors, async () => {
      const live = await group.liveMachines();
      return (machine) => machine !== group.machine && (machine === null || !live.has(machine));
    });
  }

  /**
   * The runs of a factory that this machine claimed, although nothing executes them: the answer to the claim was lost. Call it while
   * no claim of the factory is in progress here.
   *
   * @param executed the runs of the factory that are executed here
   */
  strayRuns(factory: string, executed: ReadonlySet<RunId>): Promise<void> {
    const { localExecutors, ledExecutors, state, group } = this.#parts;
    const types = state.leads ? [...localExecutors, ...ledExecutors] : localExecutors;
    const isStray = (machine: string | null, run: Run) => machine === group.machine && !executed.has(run.id);
    return this.#recover(types, async () => isStray, factory);
  }

  /**
   * @param findGone selects the runs that nothing executes; called when the runs have been read
   * @param factory whose runs are looked at; all factories by default
   */
  async #recover(
    types: readonly ExecutorType[],
    findGone: () => Promise<(machine: string | null, run: Run) => boolean>,
    factory?: string,
  ): Promise<void> {
    const { queue, group, logger, events } = this.#parts;
    for (const type of types) {
      const runs = await queue.running(type, factory);
      if (runs.length === 0) continue;
      const isGone = await findGone();
      const gone = runs.filter(({ machine, run }) => isGone(machine, run));
      await Promise.all(
        gone.map(async ({ run, machine }) => {
          const outcome = await this.#recoverRun(run, machine === group.machine);
          logger.info({ run: run.id, attempt: run.attempt, outcome }, 'run recovered');
          events.emit('changed', run.id);
          events.emit('startable', run.factory);
        }),
      );
    }
  }

  /** @param isLocal was it executed here? Another machine keeps its start records: then the run counts as started */
  async #recoverRun(run: Run, isLocal: boolean): Promise<Recovered> {
    const { queue, ends, group, state, observer, clock, logger } = this.#parts;
    const { id, attempt } = run;
    const machine = isLocal ? group.machine : null;
    const current = state.terms.executors.get(run.factory);
    // Another executor knows nothing about this run, which then counts as started.
    const entry = current?.executor.type === run.executor ? current : undefined;
    if (isLocal && entry !== undefined && !(await wasPerhapsStarted(run, entry.executor, logger))) {
      await queue.release({ id, attempt, machine });
      return 'started_again';
    }
    if (isLocal) await entry?.executor.endLeftovers(run);
    const at = clock.wallMs();
    const result = { state: 'failed', error: 'interrupted', exitCode: null } as const;
    const otherwise = entry?.retryInterrupted ? RETRY_INTERRUPTED : NO_RETRY;
    const { end } = await ends.finish({ id, attempt, machine, result, at, otherwise });
    if (end === null) return 'ended_elsewhere';
    observer.onEnded(run, result, at);
    return end.nextAttemptAt !== null ? 'retried' : 'interrupted';
  }
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
