import { AppError } from '../core/errors.ts';
import type { RunId } from '../core/ids.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { RunLogWriter } from '../core/ports/runs/executor.ts';
import type { RunControl } from '../core/ports/runs/run-control.ts';
import type { RunQueue, RunReader } from '../core/ports/runs/run-queue.ts';
import type { WorkerControl } from '../core/ports/runs/worker-control.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import { retryWithBackoff } from '../core/time/backoff.ts';
import type { Clock } from '../core/time/clock.ts';
import { explainWait } from './explain-wait.ts';
import type { FactoryExecutor } from './factory-executor.ts';
import { Lane } from './factory-queue.ts';
import { recoverRuns } from './recover.ts';
import { RunLeases, type WorkerTerms } from './run-leases.ts';
import type { StartFailure } from './start-failures.ts';

/** Nothing depends on it: it finds a run whose `wake` was lost. */
const SAFETY_NET_MS = 30_000;

export interface DispatcherOptions {
  queue: RunQueue;
  runs: Pick<RunReader, 'get'>;
  /** By factory. The runs of a factory that is not in here stay queued, unless workers claim them. */
  executors: ReadonlyMap<string, FactoryExecutor>;
  /** By factory: those whose runs workers may claim. */
  workers: ReadonlyMap<string, WorkerTerms>;
  logs: RunLogWriter;
  secrets: Pick<SecretStore, 'resolve'>;
  clock: Clock;
  logger: Logger;
  /** Told of every run whose state changed, after the change is on disk. */
  onRunChanged?: (run: RunId) => void;
}

/** Takes queued runs and has them carried out. Idle, it waits to be woken and does nothing else. */
export interface Dispatcher extends RunControl {
  /** The runs that workers pull. */
  workers: WorkerControl;
  /** Settles what an earlier daemon left behind, then begins to claim. Resolves after the recovery. */
  start(): Promise<void>;
  /** A run of that factory was born or given back. May be called at any time and as often as liked. */
  wake(factory: string): void;
  /** Why runs of this factory cannot start on this machine, if they cannot. */
  startFailure(factory: string): StartFailure | null;
  /**
   * Claims nothing more; running commands get SIGTERM at once and SIGKILL after the grace period. A run that did not
   * succeed by then is recorded as `failed`, `interrupted`. Resolves when nothing runs any more.
   */
  stop(graceMs: number): Promise<void>;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { queue, runs, executors, workers, logs, clock, logger } = options;
  const stopping = new AbortController();
  const onRunChanged = guardListener(options.onRunChanged, logger);
  const lanes = createLanes(options, onRunChanged);
  const leases = new RunLeases({ ...{ queue, runs, workers, logs, clock, logger }, onRunChanged, onReleased: wake });
  let safetyNet: NodeJS.Timeout | null = null;
  let recovered = false;
  let starting: Promise<void> = Promise.resolve();

  function wakeAll(): void {
    for (const lane of lanes.values()) lane.wake();
  }

  async function recoverAndClaim(): Promise<void> {
    const parts = { queue, executors, clock, logger };
    await retryWithBackoff(
      async () => {
        await leases.recover();
        await recoverRuns(parts, (run) => onRunChanged(run.id));
      },
      stopping.signal,
      (error) => logger.error({ err: error }, 'runs of an earlier daemon cannot be recovered; trying again'),
    );
    if (stopping.signal.aborted) return;
    recovered = true;
    safetyNet = setInterval(wakeAll, SAFETY_NET_MS).unref();
    wakeAll();
  }

  async function cancel(id: RunId): ReturnType<RunControl['cancel']> {
    if (await queue.cancelQueued({ id, at: clock.wallMs() })) {
      onRunChanged(id);
      return 'cancelled';
    }
    return (await cancelHeld([...lanes.values()], id)) ?? (await cancelUnheld(runs, leases, id));
  }

  async function retry(id: RunId): ReturnType<RunControl['retry']> {
    const outcome = await queue.retry(id);
    if (outcome !== 'queued') return outcome;
    onRunChanged(id);
    const run = await runs.get(id);
    if (run !== null) wake(run.factory);
    return outcome;
  }

  function wake(factory: string): void {
    // Before the recovery a claim would take runs that it has not decided about yet.
    if (recovered && !stopping.signal.aborted) lanes.get(factory)?.wake();
  }

  function explainWaitOf(factory: string): ReturnType<RunControl['explainWait']> {
    const lane = lanes.get(factory);
    const terms = workers.get(factory);
    const concurrency = executors.get(factory)?.concurrency ?? terms?.concurrency ?? 0;
    return explainWait({
      factory,
      phase: stopping.signal.aborted ? 'stopping' : recovered ? 'running' : 'recovering',
      carriedOutBy: lane !== undefined ? 'daemon' : terms !== undefined ? 'workers' : null,
      isFull: lane?.isFull() ?? leases.countHeld(factory) >= concurrency,
      concurrency,
      hasExecutor: terms?.hasExecutor ?? true,
      wasAskedFor: leases.wasAskedFor(factory),
      startFailure: lane?.startFailure()?.problem ?? null,
    });
  }

  return {
    start: () => {
      starting = recoverAndClaim();
      return starting;
    },
    workers: leases,
    wake,
    cancel,
    retry,
    explainWait: explainWaitOf,
    startFailure: (factory) => lanes.get(factory)?.startFailure() ?? null,
    stop: async (graceMs) => {
      stopping.abort();
      leases.stop();
      if (safetyNet !== null) clearInterval(safetyNet);
      await Promise.all([starting, ...[...lanes.values()].map((lane) => lane.stop(graceMs))]);
    },
  };
}

function createLanes(options: DispatcherOptions, onRunChanged: (run: RunId) => void): Map<string, Lane> {
  const { queue, secrets, clock } = options;
  const lanes = new Map<string, Lane>();
  for (const [factory, entry] of options.executors) {
    const logger = options.logger.child({ factory });
    lanes.set(factory, new Lane({ factory, entry, queue, secrets, clock, logger, onRunChanged }));
  }
  return lanes;
}

/** A run that left the queue while we looked may be in the hands of a claim on its way: wait for that one. */
async function cancelHeld(lanes: readonly Lane[], id: RunId): Promise<'cancelling' | 'finished' | null> {
  const held = lanes.find((lane) => lane.holds(id));
  if (held !== undefined) return held.cancel(id);
  await Promise.all(lanes.map((lane) => lane.settled()));
  return lanes.find((lane) => lane.holds(id))?.cancel(id) ?? null;
}

async function cancelUnheld(
  runs: Pick<RunReader, 'get'>,
  leases: RunLeases,
  id: RunId,
): Promise<'cancelled' | 'finished' | 'not_found'> {
  const run = await runs.get(id);
  if (run === null) return 'not_found';
  if (await leases.cancel(run)) return 'cancelled';
  if (run.state !== 'queued' && run.state !== 'running') return 'finished';
  throw new AppError('conflict', `run ${id} is changing hands just now and cannot be cancelled; try again in a moment`);
}

/** A listener that throws is logged: it must not end a run or lose a slot. */
function guardListener(listener: DispatcherOptions['onRunChanged'], logger: Logger): (run: RunId) => void {
  return (run) => {
    try {
      listener?.(run);
    } catch (error) {
      logger.error({ err: error, run }, 'a listener to changes of runs failed');
    }
  };
}
