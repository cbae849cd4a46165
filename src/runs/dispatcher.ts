// The room of runs, from the queue to the end. docs/architecture/run-to-end.md follows one.
// In: the queue in the storage, `runsCreated`, orders of people. Out: processes, requests to receivers, claims of workers;
// stored ends; `runsChanged` and `slotFreed`.
// Next: `factory-queue.ts` for the way of one attempt, `run-recovery.ts` for what a crash leaves, `run-leases.ts` for runs
// that others hold, `workers/run-claims.ts` for workers, `explain-wait.ts` for why a run waits. What executes:
// `executors/create-executor.ts`. The other end of a worker: `worker/run-worker.ts`.

import { EventEmitter } from 'node:events';
import { messageOf } from '../domain/errors.ts';
import type { RunId } from '../domain/ids.ts';
import type { RunLogWriter, StartRecords } from '../domain/ports/executor.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { DrainControl, PauseControl, PauseTable } from '../domain/ports/pauses.ts';
import {
  type RunControl,
  type RunObserver,
  UNOBSERVED,
  type WaitingRun,
  type WaitReason,
} from '../domain/ports/run-control.ts';
import { LONE_RUN_GROUP, type RunGroup } from '../domain/ports/run-group.ts';
import type { RunQueue, RunReader } from '../domain/ports/run-queue.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { WorkerControl } from '../domain/ports/workers.ts';
import type { NewRun } from '../domain/resources/delivery.ts';
import type { ExecutorType, Run } from '../domain/resources/run.ts';
import { retryWithBackoff } from '../domain/time/backoff.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { DispatchState, DispatchTerms } from './dispatch-terms.ts';
import { FactoryQueue, type RunEnding } from './factory-queue.ts';
import { FactoryQueues } from './factory-queues.ts';
import { RunDrain } from './run-drain.ts';
import { type RecordFailure, RunEnds } from './run-ends.ts';
import type { RunEvents } from './run-events.ts';
import { RunOrders } from './run-orders.ts';
import { RunPauses } from './run-pauses.ts';
import { RunRecovery } from './run-recovery.ts';
import { RunWaits } from './run-waits.ts';
import type { StartFailure } from './start-failures.ts';
import { StartRights } from './start-rights.ts';
import { openWorkers, type Workers } from './workers/open-workers.ts';

/** Between two looks for runs that nothing executes. Each also repeats a lost `wake`. */
const STRAYS_MS = 30_000;

/** Between two looks for orders of other daemons, and for runs whose machine is lost. */
const LOOK_MS = 2000;

/** The last line of the log of a run that the end of the lease cuts off. */
const LOST_LEASE = 'this replica did not reach the database in time, so another one may start the run again';

/** The same for a request that the end of the term cuts off. */
const LOST_LEAD = 'this replica no longer leads, so another one may send the run again';

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

type Parts = Required<DispatcherOptions> & { ends: RunEnds; events: RunEvents; state: DispatchState };

/**
 * Claims queued runs and executes them. While idle it only waits for `wake`.
 *
 * ```
 *            start                   lead
 *  created ─────────▶ recovering ─────────▶ recovering leases
 *                     own runs              and lost runs
 *                         │                      │
 *                         ▼                      ▼
 *                     claiming ◀─────────── leading (claims for workers and receivers, too)
 *                         │    end of term       │
 *                         └── stop, in any state ┴──▶ stopping ──▶ stopped
 * ```
 *
 * `start`, `lead` and `stop` may be called in any order and repeatedly: `lead` starts what was not started, and nothing starts
 * after `stop`.
 */
export class Dispatcher implements RunControl {
  /** The runs that workers pull. */
  readonly workers: WorkerControl;
  readonly drain: DrainControl;
  readonly pauses: PauseControl;
  readonly #parts: Parts;
  readonly #queues = new FactoryQueues();
  readonly #workers: Workers;
  readonly #drain: RunDrain;
  readonly #pauses: RunPauses;
  readonly #rights: StartRights;
  readonly #waits: RunWaits;
  readonly #recovery: RunRecovery;
  readonly #orders: RunOrders;
  readonly #stopping = new AbortController();
  #isRecovered = false;
  #starting: Promise<void> | null = null;
  #leading: Promise<void> | null = null;
  /** Requests of the last term that were interrupted. */
  #interrupted: Promise<unknown> = Promise.resolve();

  constructor(options: DispatcherOptions) {
    const parts = completeParts(options);
    this.#parts = parts;
    this.#pauses = new RunPauses({ ...parts, table: parts.pauses });
    this.#workers = openWorkers({ ...parts, senders: this.#queues });
    const { leases } = this.#workers;
    const around = { ...parts, queues: this.#queues, leases };
    this.#drain = new RunDrain(around);
    this.#orders = new RunOrders(around);
    this.#recovery = new RunRecovery(parts);
    this.#rights = new StartRights(parts);
    this.#waits = new RunWaits({ ...around, pauses: this.#pauses, workers: this.#workers });
    this.workers = this.#workers.control;
    this.drain = this.#drain;
    this.pauses = this.#pauses;
    this.#openQueues();
    this.#listen();
  }

  /** Recovers the runs that this machine executed before, then starts to claim. Resolves after the recovery. */
  start(): Promise<void> {
    this.#starting ??= this.#recoverAndClaim();
    return this.#starting;
  }

  /**
   * Does what one daemon does for all: it continues leases of workers and receivers, and recovers the runs of lost machines.
   * Resolves after the first recovery.
   *
   * @param term when it aborts, claims that wait end, and requests to receivers end as interrupted
   */
  lead(term: AbortSignal): Promise<void> {
    const { state } = this.#parts;
    if (this.#leading === null || state.term !== term) {
      state.term = term;
      this.#leading = this.#recoverAndLead(term);
    }
    return this.#leading;
  }

  /** Starts no further run. Resolves when the current runs have ended and are recorded. */
  async finish(): Promise<void> {
    this.#drain.beginStop();
    await Promise.all(this.#queues.all().map((queue) => queue.untilIdle()));
  }

  /**
   * Stops the current runs. A run that does not succeed is recorded as `failed`, `interrupted`. Resolves when no run is
   * left. `hurry`, or a second call with a grace period of 0, cancels the rest of the grace period.
   */
  async stop(ending: RunEnding): Promise<void> {
    this.#drain.beginStop();
    this.#stopping.abort();
    this.#workers.claims.stop();
    await Promise.all([this.#starting, this.#leading, ...this.#queues.all().map((queue) => queue.stop(ending))]);
  }

  /** From now on, runs start by these terms. Runs that were started before end as they began. */
  setTerms(terms: DispatchTerms): void {
    this.#parts.state.terms = terms;
    this.#openQueues();
    this.wakeAll();
  }

  /** A run of that factory was created or released. May be called at any time. */
  wake(factory: string): void {
    // A claim before the end of the recovery could take runs that are not recovered yet.
    if (!this.#isRecovered || this.#stopping.signal.aborted) return;
    this.#queues.of(factory)?.wake();
    if (this.#parts.state.leads) this.#workers.claims.wake(factory);
  }

  /** As `wake`, for all factories. */
  wakeAll(): void {
    const { workers } = this.#parts.state.terms;
    for (const factory of new Set([...this.#queues.factories(), ...workers.keys()])) this.wake(factory);
  }

  /** Runs of that factory were created. Those with a concurrency key can end others. */
  onRunsCreated(factory: string, created: readonly Pick<NewRun, 'concurrencyKey'>[]): void {
    const hasKeys = created.some(({ concurrencyKey }) => concurrencyKey !== undefined);
    if (this.#parts.state.leads && hasKeys) void this.#orders.admit(factory).then(() => this.wake(factory));
    else this.wake(factory);
  }

  cancel(id: RunId): ReturnType<RunControl['cancel']> {
    return this.#orders.cancel(id);
  }

  /** As `RunOrders.follow`. */
  followCancel(id: RunId): Promise<void> {
    return this.#orders.follow(id);
  }

  retry(...order: Parameters<RunControl['retry']>): ReturnType<RunControl['retry']> {
    return this.#orders.retry(...order);
  }

  explainWait(run: WaitingRun): WaitReason {
    return this.#waits.explain(run);
  }

  /** Why runs of this factory cannot start on this machine, if they cannot. */
  startFailure(factory: string): StartFailure | null {
    return this.#queues.of(factory)?.startFailure() ?? null;
  }

  /** Why ends of runs of this factory have not been recorded for a minute, if they have not. */
  recordFailure(factory: string): RecordFailure | null {
    return this.#parts.ends.failure(factory);
  }

  /** A queue remains for a factory that no longer has an executor: its runs that were started have to end. */
  #openQueues(): void {
    const { executors } = this.#parts.state.terms;
    for (const factory of new Set([...this.#queues.factories(), ...executors.keys()])) {
      const queue = this.#queues.of(factory) ?? this.#openQueue(factory);
      queue.setEntry(executors.get(factory) ?? null);
    }
  }

  #openQueue(factory: string): FactoryQueue {
    const { group, logger, onSlotFreed } = this.#parts;
    const queue = new FactoryQueue({
      ...this.#parts,
      factory,
      machine: group.machine,
      rights: this.#rights,
      recovery: this.#recovery,
      leases: this.#workers.leases,
      onSlotFreed: () => onSlotFreed(factory),
      logger: logger.child({ factory }),
    });
    this.#queues.add(factory, queue);
    return queue;
  }

  #listen(): void {
    const { events, group, onRunChanged } = this.#parts;
    events.on('changed', onRunChanged);
    events.on('startable', (factory) => this.wake(factory));
    events.on('admitted', (admitted) => this.#orders.followAdmitted(admitted));
    events.on('drained', () => this.#workers.claims.endWaits());
    events.on('resumed', () => this.wakeAll());
    // The lease is that of commands: a receiver executes a run on no machine of the group.
    group.onLeaseLost((graceMs) => {
      for (const queue of this.#queuesOf({ areLed: false })) queue.interrupt({ graceMs, why: LOST_LEASE });
    });
    group.onLeaseHeld(() => this.wakeAll());
  }

  /** The queues of the factories whose runs only the leader executes, or those of the others. */
  #queuesOf({ areLed }: { areLed: boolean }): FactoryQueue[] {
    const { executors } = this.#parts.state.terms;
    return [...this.#queues.factories()].flatMap((factory) => {
      const executor = executors.get(factory)?.executor;
      const isLed = executor !== undefined && this.#rights.isLed(executor);
      return isLed === areLed ? (this.#queues.of(factory) ?? []) : [];
    });
  }

  async #recoverAndClaim(): Promise<void> {
    await this.#retryRecovery(this.#stopping.signal, () => this.#recovery.ownRuns());
    if (this.#stopping.signal.aborted) return;
    this.#isRecovered = true;
    const { signal } = this.#stopping;
    repeatUntil(signal, STRAYS_MS, () => this.#lookForStrays());
    if (this.#parts.group.machine !== null) this.#lookOften(signal, () => this.#orders.followLost());
    this.wakeAll();
  }

  async #recoverAndLead(term: AbortSignal): Promise<void> {
    await this.start();
    // They would be recovered, too.
    await this.#interrupted;
    const ending = AbortSignal.any([term, this.#stopping.signal]);
    await this.#retryRecovery(ending, async () => {
      await this.#pauses.reload();
      await this.#workers.leases.recover(ending);
      await this.#recovery.ledRuns();
      await this.#recovery.lostRuns();
    });
    if (ending.aborted) return;
    this.#parts.state.leads = true;
    term.addEventListener('abort', () => this.#endLead(), { once: true });
    if (this.#parts.group.machine !== null) this.#lookOften(ending, () => this.#recovery.lostRuns());
    this.wakeAll();
  }

  /** As after a crash of the leader, the configuration decides whether a request that is cut off is sent again. */
  #endLead(): void {
    if (this.#stopping.signal.aborted) return;
    this.#parts.state.leads = false;
    this.#workers.claims.endWaits();
    this.#workers.leases.forget();
    const led = this.#queuesOf({ areLed: true });
    for (const queue of led) queue.interrupt({ graceMs: 0, why: LOST_LEAD });
    this.#interrupted = Promise.all(led.map((queue) => queue.untilIdle()));
  }

  async #retryRecovery(signal: AbortSignal, act: () => Promise<void>): Promise<void> {
    if (signal.aborted) return;
    await retryWithBackoff(act, signal, (error) =>
      this.#parts.logger.error({ err: error }, 'recovering runs failed, retrying'),
    );
  }

  /** A claim whose answer was lost leaves runs that nothing executes. */
  #lookForStrays(): void {
    for (const queue of this.#queues.all()) queue.lookForStrays();
    if (this.#parts.state.leads) this.#workers.claims.lookForStrays();
    this.wakeAll();
  }

  /** A look that fails is repeated by the next one. */
  #lookOften(signal: AbortSignal, look: () => Promise<void>): void {
    let isLooking = false;
    const lookOnce = async () => {
      if (isLooking) return;
      isLooking = true;
      await look().catch((error) =>
        this.#parts.logger.warn({ problem: messageOf(error) }, 'runs of other replicas not read'),
      );
      isLooking = false;
    };
    repeatUntil(signal, LOOK_MS, () => void lookOnce());
  }
}

function repeatUntil(signal: AbortSignal, intervalMs: number, act: () => void): void {
  const timer = setInterval(act, intervalMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

function completeParts(options: DispatcherOptions): Parts {
  const { queue, clock, terms, logger } = options;
  const { group = LONE_RUN_GROUP, ledExecutors = [], observer = UNOBSERVED } = options;
  const { openMask = async () => (text) => text, onSlotFreed = () => {} } = options;
  return {
    ...options,
    group,
    ledExecutors,
    observer,
    openMask,
    onSlotFreed,
    onRunChanged: guardListener(options.onRunChanged, logger),
    ends: new RunEnds(queue, clock),
    events: new EventEmitter(),
    state: { terms, leads: false, term: AbortSignal.abort(), phase: 'running' },
  };
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
