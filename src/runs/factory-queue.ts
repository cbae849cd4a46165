import { messageOf } from '../domain/errors.ts';
import type { RunId } from '../domain/ids.ts';
import type { Accepted, Executor, NotStarted, RunLogWriter, StopOrder } from '../domain/ports/executor.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { RunObserver } from '../domain/ports/run-control.ts';
import type { OfAttempt, RunQueue, RunReader } from '../domain/ports/run-queue.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { Run, RunInput, RunResult } from '../domain/resources/run.ts';
import { NO_RETRY, RETRY_INTERRUPTED, type RetryTerms } from '../domain/runs/run-policy.ts';
import { retryWithBackoff } from '../domain/time/backoff.ts';
import type { Clock } from '../domain/time/clock.ts';
import { type CancelCall, callAt, scheduleCall } from '../domain/time/schedule.ts';
import type { FactoryExecutor } from './dispatch-terms.ts';
import { executeRun } from './execute-run.ts';
import { logEnd, type RunEnds } from './run-ends.ts';
import type { RunEvents } from './run-events.ts';
import type { RunLeases } from './run-leases.ts';
import type { RunRecovery } from './run-recovery.ts';
import { type StartFailure, StartFailures } from './start-failures.ts';
import type { StartRights } from './start-rights.ts';

/** How long a daemon leaves runs beyond its share of the slots to the others. */
const LEFT_FOR_OTHERS_MS = 1000;

/** How a stop ends the runs that are still executed. */
export interface RunEnding {
  /** Milliseconds between SIGTERM and SIGKILL. */
  graceMs: number;
  /** Aborted when the rest of the grace period is cancelled. */
  hurry?: AbortSignal;
  /** Why, as a sentence. It becomes the last line of the log of each run that it cuts off. */
  why: string;
}

interface FactoryQueueParts {
  factory: string;
  /** As `OfAttempt.machine`. */
  machine: string | null;
  queue: RunQueue;
  ends: RunEnds;
  runs: Pick<RunReader, 'agentFiles'>;
  logs: Pick<RunLogWriter, 'append'>;
  rights: StartRights;
  recovery: Pick<RunRecovery, 'strayRuns'>;
  /** They hold the runs that receivers have accepted. */
  leases: Pick<RunLeases, 'accept' | 'cancel' | 'countHeld'>;
  /** A run has ended, so that another one may start: here, or elsewhere. */
  onSlotFreed(): void;
  secrets: Pick<SecretStore, 'resolve'>;
  clock: Clock;
  logger: Logger;
  observer: RunObserver;
  events: RunEvents;
}

interface Attempt {
  run: Run;
  stop: AbortController;
  retryInterrupted: boolean;
  /** How it was ordered to end before its time; `null` if it was not. */
  ending: RunEnding | null;
  /** The run has ended; its end is not recorded yet. */
  ended: boolean;
  done: Promise<void>;
}

/**
 * The runs of one factory: claims as many as there are free slots, executes them and records how they ended.
 *
 * ```
 *            claim             started           ended          recorded
 *  queued ──────────▶ claimed ─────────▶ executed ──────▶ ended ─────────▶ succeeded, failed, cancelled
 *   ▲ ▲                  │                   │              │
 *   │ └──────────────────┘                   │ accepted     │
 *   │   not started, or stopped before       ▼              │
 *   │                                 held by a receiver    │
 *   │                                   (`RunLeases`)       │
 *   └───────────────────────────────────────────────────────┘ failed or interrupted, and retried as the next attempt
 * ```
 *
 * In the storage, a run is `running` from its claim until its end is recorded. It uses a slot for as long. An attempt that cannot be
 * prepared, for example because a secret is missing, ends without a start.
 */
export class FactoryQueue {
  readonly #parts: FactoryQueueParts;
  readonly #attempts = new Map<RunId, Attempt>();
  readonly #stopping = new AbortController();
  /** Ends the grace period of the stop. */
  readonly #force = new AbortController();
  readonly #startFailures: StartFailures;
  /** `null` if the configuration no longer has it: nothing is claimed, and what was claimed ends as it began. */
  #entry: FactoryExecutor | null = null;
  #claiming: Promise<void> | null = null;
  #cancelWake = () => {};
  /** Cancels the wake at the time of the next run that waits for one. */
  #cancelDue = () => {};
  #cancelTakeAll: CancelCall | null = null;
  #wanted = false;
  /** A claim failed, or none was compared with the stored runs for a while: runs may be `running` that are not executed. */
  #mayHaveStrays = false;
  /** The others did not take what was left for them. */
  #takesAll = false;
  #running = 0;
  #budgetOpensAt: number | null = null;

  constructor(parts: FactoryQueueParts) {
    this.#parts = parts;
    this.#startFailures = new StartFailures(parts.clock);
  }

  /** From the next wake on, runs start with this executor; `null` for none. */
  setEntry(entry: FactoryExecutor | null): void {
    this.#entry = entry;
  }

  /** Why runs cannot start on this machine; `null` if they can. */
  startFailure(): StartFailure | null {
    return this.#startFailures.current();
  }

  /** When the budget of the factory allows the next start, as wall time; `null` if it kept no run from starting. */
  budgetOpensAt(): number | null {
    return this.#budgetOpensAt;
  }

  /** There may be a run to claim. Cheap: calls during a claim cause one further claim. */
  wake(): void {
    if (this.#isHalted()) return;
    this.#wanted = true;
    this.#claiming ??= this.#claimWhileWanted();
  }

  /** Before the next claim, compares the stored runs with those that are executed. */
  lookForStrays(): void {
    this.#mayHaveStrays = true;
    this.wake();
  }

  /** Resolves when no claim is in progress: then every run that this process holds is known here. */
  async settled(): Promise<void> {
    await this.#claiming;
  }

  /** Number of runs of the factory that all daemons, workers and receivers execute, as the last claim found it. */
  countRunning(): number {
    return this.#running;
  }

  /** The runs that are executed now. */
  executing(): Run[] {
    return Array.from(this.#attempts.values(), ({ run }) => run);
  }

  /** Number of runs that are executed now. */
  countExecuting(): number {
    return this.#attempts.size;
  }

  /** Resolves when no run is executed and no claim is in progress. */
  async untilIdle(): Promise<void> {
    while (this.#claiming !== null || this.#attempts.size > 0) {
      await Promise.all([this.#claiming, ...Array.from(this.#attempts.values(), ({ done }) => done)]);
    }
  }

  holds(id: RunId): boolean {
    return this.#attempts.has(id);
  }

  /** Stops a run that this queue holds; returns `finished` if it has ended and only the record is missing. */
  cancel(id: RunId): 'cancelling' | 'finished' {
    const attempt = this.#attempts.get(id);
    if (attempt === undefined || attempt.ended) return 'finished';
    attempt.stop.abort({ cause: 'cancelled', graceMs: null } satisfies StopOrder);
    return 'cancelling';
  }

  /** The receiver of a run reports about it. Resolves when this queue no longer executes the attempt. */
  async acceptEarly(id: RunId): Promise<void> {
    const attempt = this.#attempts.get(id);
    if (attempt === undefined) return;
    if (!attempt.ended) attempt.stop.abort({ cause: 'accepted', graceMs: null } satisfies StopOrder);
    await attempt.done;
  }

  /**
   * Stops claiming, stops the current runs and resolves when all of them have ended and are recorded. A second call with a
   * grace period of 0 cancels the rest of the first one, as `hurry` does.
   */
  async stop(ending: RunEnding): Promise<void> {
    this.#stopping.abort();
    this.#cancelWake();
    this.#cancelDue();
    this.#cancelTakeAll?.();
    const { graceMs, why, hurry } = ending;
    const force = () => this.#force.abort();
    const isForced = graceMs === 0 || hurry?.aborted === true;
    if (isForced) force();
    hurry?.addEventListener('abort', force);
    this.interrupt({ graceMs: isForced ? 0 : graceMs, why });
    await this.untilIdle();
    hurry?.removeEventListener('abort', force);
  }

  /** Stops the current runs, which end as `interrupted`. Others may start later. */
  interrupt(ending: RunEnding): void {
    const order: StopOrder = { cause: 'interrupted', graceMs: ending.graceMs, force: this.#force.signal };
    for (const attempt of this.#attempts.values()) {
      attempt.ending ??= ending;
      attempt.stop.abort(order);
    }
  }

  /** No run may be claimed now. */
  #isHalted(): boolean {
    return this.#stopping.signal.aborted || this.#entry === null || !this.#parts.rights.mayStart(this.#entry.executor);
  }

  async #claimWhileWanted(): Promise<void> {
    while (this.#wanted && !this.#isHalted()) {
      this.#wanted = false;
      try {
        if (this.#mayHaveStrays) await this.#recoverStrays();
        await this.#claimFreeSlots();
      } catch (error) {
        this.#mayHaveStrays = true;
        const { pauseMs } = this.#startFailures.note(null, `runs cannot be claimed: ${messageOf(error)}`);
        this.#parts.logger.warn({ err: error, pauseMs }, 'claiming runs failed');
        this.#wakeAt(this.#startFailures.pausedUntil());
      }
    }
    // Without an `await` after the last check of `#wanted`, so that no wake is lost.
    this.#claiming = null;
  }

  async #recoverStrays(): Promise<void> {
    const { recovery, factory } = this.#parts;
    await recovery.strayRuns(factory, new Set(this.#attempts.keys()));
    this.#mayHaveStrays = false;
  }

  async #claimFreeSlots(): Promise<void> {
    const { queue, factory, machine, clock } = this.#parts;
    const entry = this.#entry;
    const free = entry === null ? 0 : this.#countFree(entry);
    if (entry === null || free <= 0) return;
    const pausedUntil = this.#startFailures.pausedUntil();
    if (pausedUntil !== null) return this.#wakeAt(pausedUntil);
    // While runs cannot start, a single one shows whether they can again.
    const limit = this.startFailure() === null ? free : 1;
    const resting = this.#startFailures.resting();
    const { executor, budget = null } = entry;
    const from = { factory, except: resting.runs, limit, concurrency: entry.concurrency };
    const order = { ...from, executor: executor.type, machine, at: clock.wallMs(), budget };
    const { inputs, nextAt, budgetOpensAt, running, ...admitted } = await queue.claim(order);
    this.#running = running;
    this.#budgetOpensAt = budgetOpensAt;
    this.#parts.events.emit('admitted', admitted);
    this.#wakeWhenDue(nextAt);
    if (inputs.length === 0) this.#noteEmptyQueue(resting);
    for (const input of inputs) {
      if (this.#isHalted()) await this.#release(input);
      else this.#begin(input, entry);
    }
  }

  /**
   * The number of runs to claim now. Each daemon first takes its share of the slots, so that the runs are spread. What the
   * others leave for a while, it takes, too.
   */
  #countFree({ executor, concurrency }: FactoryExecutor): number {
    const { leases, rights, factory } = this.#parts;
    const held = this.#attempts.size + leases.countHeld(factory);
    const share = Math.ceil(concurrency / rights.countClaiming(executor));
    const takesAll = this.#takesAll || share === concurrency;
    this.#takesAll = false;
    if (takesAll) return concurrency - held;
    this.#cancelTakeAll ??= scheduleCall(LEFT_FOR_OTHERS_MS, () => {
      this.#cancelTakeAll = null;
      this.#takesAll = true;
      this.wake();
    });
    return share - held;
  }

  #noteEmptyQueue(resting: ReturnType<StartFailures['resting']>): void {
    if (resting.runs.length > 0) this.#wakeAt(resting.until);
    else if (this.#attempts.size === 0) this.#startFailures.clear();
  }

  #wakeAt(instant: number | null): void {
    this.#cancelWake();
    this.#cancelWake = callAt(instant ?? 0, this.#parts.clock, () => this.wake());
  }

  /** @param wallMs when the next run may start, as wall time; `null` if none waits for a time */
  #wakeWhenDue(wallMs: number | null): void {
    const { clock } = this.#parts;
    this.#cancelDue();
    this.#cancelDue = () => {};
    if (wallMs === null) return;
    const instant = clock.monotonicMs() + Math.max(0, wallMs - clock.wallMs());
    this.#cancelDue = callAt(instant, clock, () => this.wake());
  }

  #begin(input: RunInput, { executor, retryInterrupted = false }: FactoryExecutor): void {
    const { run } = input;
    const stop = new AbortController();
    const attempt: Attempt = { run, stop, retryInterrupted, ending: null, ended: false, done: Promise.resolve() };
    this.#attempts.set(run.id, attempt);
    attempt.done = this.#execute(input, attempt, executor).finally(() => {
      this.#attempts.delete(run.id);
      this.wake();
      this.#parts.onSlotFreed();
    });
    this.#parts.events.emit('changed', run.id);
  }

  async #execute(input: RunInput, attempt: Attempt, executor: Executor): Promise<void> {
    const { runs, secrets } = this.#parts;
    const logger = this.#parts.logger.child({ run: input.run.id, attempt: input.run.attempt });
    const onStarted = (logOffset: number | null) => this.#noteStart(input, logOffset, logger);
    const { signal } = attempt.stop;
    const result = await executeRun(input, { executor, runs, secrets, logger }, { signal, onStarted });
    if (result.state === 'not_started') return this.#postpone(input, result, signal, logger);
    if (result.state === 'accepted') return this.#handOver(input.run, result, { signal, logger });
    attempt.ended = true;
    if (await this.#mayStartAgain(input, result, executor)) return this.#release(input);
    this.#startFailures.forget(input.run.id);
    if (result.error === 'interrupted') await this.#logEnding(input.run, attempt, logger);
    await this.#record(input, result, logger, this.#retryOf(attempt, result));
  }

  /** Who lost its lease is not asked to stop: as after a crash, the configuration decides whether the run starts again. */
  #retryOf({ retryInterrupted }: Attempt, { error }: RunResult): RetryTerms {
    const isLost = error === 'interrupted' && !this.#stopping.signal.aborted;
    return isLost && retryInterrupted ? RETRY_INTERRUPTED : NO_RETRY;
  }

  #noteStart({ run, queuedAt }: RunInput, logOffset: number | null, logger: Logger): void {
    if (this.startFailure() !== null) this.#parts.logger.info({ run: run.id }, 'runs start again');
    this.#startFailures.noteStart(run.id);
    logger.info({ automation: run.automation }, 'run started');
    this.#parts.observer.onClaimed(run, queuedAt);
    if (run.attempt > 1 && logOffset !== null) this.#noteLogOffset(run, logOffset, logger);
    // The other runs waited until one could start.
    this.wake();
  }

  /** The attempt does not wait for it: without the position only the log of this attempt cannot be read separately. */
  #noteLogOffset(run: Run, offset: number, logger: Logger): void {
    this.#parts.queue.noteLogOffset({ ...this.#attemptOf(run), offset }).catch((error: unknown) => {
      logger.warn({ err: error }, 'storing the log position of an attempt failed');
    });
  }

  /** Until this is stored, a restart of the daemon sends the request again. */
  async #handOver(
    run: Run,
    { heldUntil }: Accepted,
    { signal, logger }: { signal: AbortSignal; logger: Logger },
  ): Promise<void> {
    const { leases, rights } = this.#parts;
    this.#startFailures.forget(run.id);
    await retryWithBackoff(
      async () => {
        await leases.accept(run, heldUntil);
        // The API has promised the end of a run that was cancelled meanwhile.
        if (isCancelled(signal)) await leases.cancel(run);
      },
      AbortSignal.any([this.#stopping.signal, rights.term]),
      (error, failures) =>
        logger.warn({ err: error, failures }, 'storing that a receiver accepted a run failed, retrying'),
    );
  }

  /** The machine is at fault, not the run: it returns to the queue, and claiming pauses. */
  async #postpone(input: RunInput, notStarted: NotStarted, signal: AbortSignal, logger: Logger): Promise<void> {
    if (this.#stopping.signal.aborted) return this.#queueAgain(input, notStarted);
    const { problem } = notStarted;
    const { id } = input.run;
    const { pauseMs, isHopeless } = this.#startFailures.note(id, problem);
    logger.warn({ problem, pauseMs }, 'run could not start');
    if (isHopeless) {
      this.#startFailures.forget(id);
      const error = `the run cannot start, but other runs can: ${problem}`;
      return this.#record(input, { state: 'failed', error, exitCode: null }, logger);
    }
    await this.#queueAgain(input, notStarted);
    // The API has promised the end of a run that was cancelled meanwhile.
    if (isCancelled(signal)) await this.#parts.queue.cancelQueued({ id, at: this.#parts.clock.wallMs() });
    this.#parts.events.emit('changed', id);
  }

  /** The slot stays in use until the end is on disk: for the queue, the run is running until then. */
  async #record({ run }: RunInput, result: RunResult, logger: Logger, otherwise = NO_RETRY): Promise<void> {
    const { ends, clock, observer, events } = this.#parts;
    const at = clock.wallMs();
    const finished = await ends.untilRecorded(
      run,
      () => ends.finish({ ...this.#attemptOf(run), result, at, otherwise }),
      { signal: this.#stopping.signal, logger, log: 'recording the end of a run failed, retrying' },
    );
    if (finished === null)
      logger.error({ result }, 'end of run not recorded, the next start of the daemon recovers the run');
    else if (finished.value.end === null) logger.warn({ result }, 'end of run discarded, the run had already ended');
    else {
      logEnd(logger, finished.value.result, finished.value.end);
      observer.onEnded(run, finished.value.result, at);
    }
    events.emit('changed', run.id);
  }

  /** The reader of a log learns there why it ends. */
  async #logEnding(run: Run, { ending }: Attempt, logger: Logger): Promise<void> {
    const why = ending?.why;
    if (why === undefined) return;
    await this.#parts.logs.append(run, `\n[dockbell: interrupted: ${why}]\n`).catch((error: unknown) => {
      logger.warn({ err: error }, 'writing the log of a run failed');
    });
  }

  /** The run was interrupted before it started: as after a crash, the start record decides. */
  async #mayStartAgain({ run }: RunInput, result: RunResult, executor: Executor): Promise<boolean> {
    if (result.error !== 'interrupted') return false;
    return !(await executor.wasStarted(run.id, run.attempt).catch(() => true));
  }

  /** Queues a run again that was never started, for this daemon or the next one. */
  #release({ run }: RunInput): Promise<void> {
    return this.#retryRelease(run.id, () => this.#parts.queue.release(this.#attemptOf(run)));
  }

  #attemptOf({ id, attempt }: Run): OfAttempt {
    return { id, attempt, machine: this.#parts.machine };
  }

  /** Queues a run again that could not start. An attempt with a start record is not used again. */
  #queueAgain(input: RunInput, { problem, nextAttempt }: NotStarted): Promise<void> {
    const { run } = input;
    if (nextAttempt === run.attempt) return this.#release(input);
    const at = this.#parts.clock.wallMs();
    const failed = { ...this.#attemptOf(run), error: problem, at };
    return this.#retryRelease(run.id, () => this.#parts.queue.retryFailed(failed));
  }

  async #retryRelease(id: RunId, release: () => Promise<boolean>): Promise<void> {
    await retryWithBackoff(release, this.#stopping.signal, (error) =>
      this.#parts.logger.warn({ err: error, run: id }, 'releasing a run failed, retrying'),
    );
  }
}

function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as StopOrder).cause === 'cancelled';
}
