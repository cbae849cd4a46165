import { messageOf } from '../domain/errors.ts';
import type { RunId } from '../domain/ids.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { DrainControl } from '../domain/ports/runs/drain-control.ts';
import type { Executor, RunLogWriter, StartRecords } from '../domain/ports/runs/executor.ts';
import type { PauseControl } from '../domain/ports/runs/pause-control.ts';
import type { PauseTable } from '../domain/ports/runs/pause-table.ts';
import type { RunControl, WaitingRun, WaitReason } from '../domain/ports/runs/run-control.ts';
import { LONE_RUN_GROUP, type RunGroup } from '../domain/ports/runs/run-group.ts';
import { type RunObserver, UNOBSERVED } from '../domain/ports/runs/run-observer.ts';
import type { Admitted, RunQueue, RunReader } from '../domain/ports/runs/run-queue.ts';
import type { WorkerControl } from '../domain/ports/runs/worker-control.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { NewRun } from '../domain/resources/delivery.ts';
import type { ExecutorType, Run } from '../domain/resources/run.ts';
import { retryWithBackoff } from '../domain/time/backoff.ts';
import type { Clock } from '../domain/time/clock.ts';
import { RunCancellation } from './run-orders.ts';
import { explainGate, explainWait } from './explain-wait.ts';
import { type FactoryExecutor, FactoryQueue, type RunEnding } from './factory-queue.ts';
import { RunRecovery } from './run-recovery.ts';
import { RunDrain } from './run-drain.ts';
import { type RecordFailure, RunEnds } from './run-ends.ts';
import type { WorkerTerms } from './run-leases.ts';
import { RunPauses } from './run-pauses.ts';
import type { StartFailure } from './start-failures.ts';
import { openWorkers, type Workers } from './workers/open-workers.ts';

/** Between two looks for runs that nothing executes. Each also repeats a lost `wake`. */
const STRAYS_MS = 30_000;

/** Between two looks for orders of other daemons, and for runs whose machine is lost. */
const LOOK_MS = 2000;

/** The last line of the log of a run that the end of the lease cuts off. */
const LOST_LEASE = 'this replica did not reach the database in time, so another one may start the run again';

export interface DispatcherOptions {
  queue: RunQueue;
  /** The daemons that execute runs of the storage. Default: this one alone. */
  group?: RunGroup;
  runs: Pick<RunReader, 'get' | 'attempts' | 'agentFiles'>;
  pauses: PauseTable;
  terms: DispatchTerms;
  /** Types of executors that start processes: each daemon executes their runs, and recovers those of its machine. */
  localExecutors: readonly ExecutorType[];
  /** Types of executors whose runs the leader executes. Default: none. */
  ledExecutors?: readonly ExecutorType[];
  logs: RunLogWriter;
  secrets: Pick<SecretStore, 'resolve'>;
  /** Proofs that workers started attempts. */
  startRecords: Pick<StartRecords, 'create' | 'exists'>;
  clock: Clock;
  logger: Logger;
  /** Masks secrets in what the receiver of a run reports. Default: it stays unchanged. */
  openMask?(run: Run): Promise<(text: string) => string>;
  /** Called for each run whose state changed, after the change is on disk. */
  onRunChanged?: (run: RunId) => void;
  /** A run of this factory has ended, so that another daemon may start one. */
  onSlotFreed?: (factory: string) => void;
  /** Follows the attempts. */
  observer?: RunObserver;
}

/** How the configuration executes runs. */
export interface DispatchTerms {
  /** By factory. Runs of a factory without an entry stay queued, unless workers claim them. */
  executors: ReadonlyMap<string, FactoryExecutor>;
  /** By factory: those whose runs workers may claim. */
  workers: ReadonlyMap<string, WorkerTerms>;
}

/** Claims queued runs and executes them. While idle it only waits for `wake`. */
export interface Dispatcher extends RunControl {
  /** The runs that workers pull. */
  workers: WorkerControl;
  drain: DrainControl;
  pauses: PauseControl;
  /** Recovers the runs that this machine executed before, then starts to claim. Resolves after the recovery. */
  start(): Promise<void>;
  /**
   * Does what one daemon does for all: it continues leases of workers and receivers, and recovers the runs of lost machines. Call
   * after `start`. Resolves after the first recovery.
   */
  lead(): Promise<void>;
  /** From now on, runs start by these terms. Runs that were started before end as they began. */
  setTerms(terms: DispatchTerms): void;
  /** A run of that factory was created or released. May be called at any time. */
  wake(factory: string): void;
  /** As `wake`, for all factories. */
  wakeAll(): void;
  /** As `RunCancellation.follow`. */
  followCancel(run: RunId): Promise<void>;
  /** Runs of that factory were created. Those with a concurrency key can end others. */
  onRunsCreated(factory: string, runs: readonly Pick<NewRun, 'concurrencyKey'>[]): void;
  /** Why runs of this factory cannot start on this machine, if they cannot. */
  startFailure(factory: string): StartFailure | null;
  /** Why ends of runs of this factory have not been recorded for a minute, if they have not. */
  recordFailure(factory: string): RecordFailure | null;
  /** Starts no further run. Resolves when the current runs have ended and are recorded. */
  finish(): Promise<void>;
  /**
   * Stops the current runs. A run that does not succeed is recorded as `failed`, `interrupted`. Resolves when no run is
   * left. A second call with a grace period of 0 cancels the rest of the first one.
   */
  stop(ending: RunEnding): Promise<void>;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { queue, runs, localExecutors, ledExecutors = [], logs, secrets, startRecords, clock, logger } = options;
  const { group = LONE_RUN_GROUP, observer = UNOBSERVED, openMask = maskNothing, onSlotFreed = () => {} } = options;
  let { terms } = options;
  const stopping = new AbortController();
  const onRunChanged = guardListener(options.onRunChanged, logger);
  const drain: RunDrain = new RunDrain({
    clock,
    countExecuting: () => sum([...queues.values()].map((factoryQueue) => factoryQueue.countExecuting())),
    countHeld: () => workers.leases.countAllHeld(),
    onBegun: () => workers.claims.endWaits(),
    onResumed: wakeAll,
  });
  const isDraining = () => drain.isOn;
  const pauses = new RunPauses({ table: options.pauses, clock, onResumed: wake });
  const ends = new RunEnds(queue, clock);
  const queues = new Map<string, FactoryQueue>();
  const workers: Workers = openWorkers(
    {
      queue,
      ends,
      runs,
      isDraining,
      logs,
      secrets,
      startRecords,
      clock,
      logger,
      observer,
      onRunChanged,
      onAdmitted,
      onReleased: wake,
      acceptEarly,
      onAcceptedCancelled,
      openMask,
    },
    terms.workers,
  );
  const { leases, claims } = workers;
  const timers: NodeJS.Timeout[] = [];
  let recovered = false;
  let leads = false;
  let starting: Promise<void> = Promise.resolve();
  let leading: Promise<void> = Promise.resolve();
  const cancellation = new RunCancellation({
    queue,
    runs,
    queues: () => [...queues.values()],
    leases,
    group,
    leads: () => leads,
    clock,
    onCancelled: async (id) => {
      onRunChanged(id);
      await wakeFactoryOf(id);
    },
  });
  const recovery = new RunRecovery({
    queue,
    ends,
    group,
    executors: () => terms.executors,
    localExecutors,
    ledExecutors,
    leads: () => leads,
    observer,
    clock,
    logger,
    onRecovered: ({ id, factory }) => {
      onRunChanged(id);
      wake(factory);
    },
  });
  group.onLeaseLost(interruptCommands);
  group.onLeaseHeld(wakeAll);
  takeExecutors();

  /** A queue remains for a factory that no longer has an executor: its runs that were started have to end. */
  function takeExecutors(): void {
    for (const factory of new Set([...queues.keys(), ...terms.executors.keys()])) {
      const known = queues.get(factory) ?? openQueue(factory);
      known.setEntry(terms.executors.get(factory) ?? null);
    }
  }

  function openQueue(factory: string): FactoryQueue {
    const opened = new FactoryQueue({
      factory,
      machine: group.machine,
      queue,
      ends,
      runs,
      logs,
      mayStart: (executor) => !isDraining() && (isLed(executor) ? leads : group.isLeaseHeld()),
      countClaiming: (executor) => (isLed(executor) ? 1 : group.size()),
      onSlotFreed: () => onSlotFreed(factory),
      secrets,
      clock,
      logger: logger.child({ factory }),
      observer,
      onRunChanged,
      onAdmitted,
      onAccepted: async (run, heldUntil) => void (await leases.accept(run, heldUntil)),
      recoverStrays: (executed) => recovery.strayRuns(factory, executed),
      cancelAccepted: (run) => leases.cancel(run),
      countHeld: () => leases.countHeld(factory),
    });
    queues.set(factory, opened);
    return opened;
  }

  function isLed({ type }: Executor): boolean {
    return ledExecutors.includes(type);
  }

  /** The lease is that of commands: a receiver executes a run on no machine of the group. */
  function interruptCommands(graceMs: number): void {
    for (const [factory, factoryQueue] of queues) {
      const executor = terms.executors.get(factory)?.executor;
      if (executor === undefined || !isLed(executor)) factoryQueue.interrupt({ graceMs, why: LOST_LEASE });
    }
  }

  async function acceptEarly({ id, factory }: Run): Promise<void> {
    await queues.get(factory)?.acceptEarly(id);
  }

  function onAcceptedCancelled(run: Run): void {
    terms.executors.get(run.factory)?.executor.noteCancelled?.(run);
  }

  function wakeAll(): void {
    for (const factory of new Set([...queues.keys(), ...terms.workers.keys()])) wake(factory);
  }

  /** A claim whose answer was lost leaves runs that nothing executes. */
  function lookForStrays(): void {
    for (const factoryQueue of queues.values()) factoryQueue.lookForStrays();
    if (leads) claims.lookForStrays();
    wakeAll();
  }

  async function recoverAndClaim(): Promise<void> {
    await retryRecovery(() => recovery.ownRuns());
    if (stopping.signal.aborted) return;
    recovered = true;
    timers.push(setInterval(lookForStrays, STRAYS_MS).unref());
    if (group.machine !== null) lookOften(() => cancellation.followOrders());
    wakeAll();
  }

  async function recoverAndLead(): Promise<void> {
    await starting;
    await retryRecovery(async () => {
      await pauses.reload();
      await leases.recover();
      await recovery.ledRuns();
      await recovery.lostRuns();
    });
    if (stopping.signal.aborted) return;
    leads = true;
    if (group.machine !== null) lookOften(() => recovery.lostRuns());
    wakeAll();
  }

  async function retryRecovery(act: () => Promise<void>): Promise<void> {
    await retryWithBackoff(act, stopping.signal, (error) =>
      logger.error({ err: error }, 'recovering runs failed, retrying'),
    );
  }

  /** A look that fails is repeated by the next one. */
  function lookOften(look: () => Promise<void>): void {
    let isLooking = false;
    const lookOnce = async () => {
      if (isLooking) return;
      isLooking = true;
      await look().catch((error) => logger.warn({ problem: messageOf(error) }, 'runs of other replicas not read'));
      isLooking = false;
    };
    timers.push(setInterval(() => void lookOnce(), LOOK_MS).unref());
  }

  async function retry(...[id, requestedBy]: Parameters<RunControl['retry']>): ReturnType<RunControl['retry']> {
    const outcome = await queue.retry({ id, requestedBy, at: clock.wallMs() });
    if (outcome !== 'queued') return outcome;
    onRunChanged(id);
    await wakeFactoryOf(id);
    return outcome;
  }

  async function wakeFactoryOf(id: RunId): Promise<void> {
    const run = await runs.get(id);
    if (run !== null) wake(run.factory);
  }

  function onRunsCreated(factory: string, created: readonly Pick<NewRun, 'concurrencyKey'>[]): void {
    if (leads && created.some(({ concurrencyKey }) => concurrencyKey !== undefined)) void admit(factory);
    else wake(factory);
  }

  /** A failure leaves the policies of new runs to the next claim. */
  async function admit(factory: string): Promise<void> {
    try {
      onAdmitted(await queue.admit({ factory, at: clock.wallMs() }));
    } catch (error) {
      logger.warn({ err: error, factory }, 'applying the concurrency of new runs failed, the next claim repeats it');
    }
    wake(factory);
  }

  function onAdmitted({ ended, cancel: superseded }: Admitted): void {
    for (const run of ended) onRunChanged(run);
    for (const run of superseded) {
      cancellation
        .cancel(run)
        .catch((error: unknown) => logger.warn({ err: error, run }, 'cancelling a superseded run failed'));
    }
  }

  function wake(factory: string): void {
    // A claim before the end of the recovery could take runs that are not recovered yet.
    if (!recovered || stopping.signal.aborted) return;
    queues.get(factory)?.wake();
    if (leads) claims.wake(factory);
  }

  function explainWaitOf(run: WaitingRun): WaitReason {
    const paused = pauses.explain(run.factory, run.automation);
    if (paused !== null) return { reason: 'paused', text: paused };
    return explainGate(run, clock.wallMs()) ?? explainQueue(run);
  }

  function explainQueue({ factory, runsOn }: WaitingRun): WaitReason {
    const factoryQueue = queues.get(factory);
    const executor = terms.executors.get(factory);
    const worker = terms.workers.get(factory);
    const concurrency = executor?.concurrency ?? worker?.concurrency ?? 0;
    const here = leases.countHeld(factory) + (factoryQueue?.countExecuting() ?? 0);
    // Of all daemons, and not counted again since the last claim.
    const held = Math.max(here, factoryQueue?.countRunning() ?? 0);
    const { phase } = drain.state();
    return explainWait({
      factory,
      phase: phase === 'running' && !leads ? 'recovering' : phase,
      executedBy: executor !== undefined ? 'daemon' : worker !== undefined ? 'workers' : null,
      isFull: held >= concurrency,
      concurrency,
      hasExecutor: worker?.hasExecutor ?? true,
      runsOn,
      supply: workers.registry.supply(factory, runsOn),
      startFailure: factoryQueue?.startFailure()?.problem ?? null,
      budgetOpensAt: executor === undefined ? claims.budgetOpensAt(factory) : (factoryQueue?.budgetOpensAt() ?? null),
    });
  }

  return {
    start: () => {
      starting = recoverAndClaim();
      return starting;
    },
    lead: () => {
      leading = recoverAndLead();
      return leading;
    },
    workers: workers.control,
    drain,
    pauses,
    setTerms: (changed) => {
      terms = changed;
      leases.setTerms(terms.workers);
      takeExecutors();
      wakeAll();
    },
    wake,
    wakeAll,
    followCancel: (run) => cancellation.follow(run),
    onRunsCreated,
    cancel: (run) => cancellation.cancel(run),
    retry,
    explainWait: explainWaitOf,
    recordFailure: (factory) => ends.failure(factory),
    startFailure: (factory) => queues.get(factory)?.startFailure() ?? null,
    finish: async () => {
      drain.beginStop();
      await Promise.all([...queues.values()].map((factoryQueue) => factoryQueue.untilIdle()));
    },
    stop: async (ending) => {
      drain.beginStop();
      stopping.abort();
      claims.stop();
      leases.stop();
      for (const timer of timers) clearInterval(timer);
      await Promise.all([starting, leading, ...[...queues.values()].map((factoryQueue) => factoryQueue.stop(ending))]);
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

async function maskNothing(): Promise<(text: string) => string> {
  return (text) => text;
}

/** Logs what a listener throws: it must not end a run or lose a slot. */
function guardListener(listener: DispatcherOptions['onRunChanged'], logger: Logger): (run: RunId) => void {
  return (run) => {
    try {
      listener?.(run);
    } catch (error) {
      logger.error({ err: error, run }, 'run listener failed');
    }
  };
}
