import { messageOf } from '../core/errors.ts';
import type { RunId } from '../core/ids.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { NotStarted, StopOrder } from '../core/ports/runs/executor.ts';
import type { RunQueue } from '../core/ports/runs/run-queue.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { RunInput, RunResult } from '../core/run.ts';
import { retryWithBackoff } from '../core/time/backoff.ts';
import type { Clock } from '../core/time/clock.ts';
import { callAt } from '../core/time/schedule.ts';
import { carryOut } from './execute-run.ts';
import type { FactoryExecutor } from './factory-executor.ts';
import { type StartFailure, StartFailures } from './start-failures.ts';

interface LaneParts {
  factory: string;
  entry: FactoryExecutor;
  queue: RunQueue;
  secrets: Pick<SecretStore, 'resolve'>;
  clock: Clock;
  logger: Logger;
  onRunChanged: (run: RunId) => void;
}

interface Attempt {
  stop: AbortController;
  /** The command has ended; what is left is to record it. */
  ended: boolean;
  done: Promise<void>;
}

/** The runs of one factory: claims as many as there are free slots, carries them out, records how they ended. */
export class Lane {
  readonly #parts: LaneParts;
  readonly #attempts = new Map<RunId, Attempt>();
  readonly #stopping = new AbortController();
  readonly #startFailures: StartFailures;
  #claiming: Promise<void> | null = null;
  #cancelWake = () => {};
  #wanted = false;

  constructor(parts: LaneParts) {
    this.#parts = parts;
    this.#startFailures = new StartFailures(parts.clock);
  }

  /** Why runs cannot start on this machine; `null` if they can. */
  startFailure(): StartFailure | null {
    return this.#startFailures.current();
  }

  /** There may be something to claim. Cheap: one look at the queue at a time, whatever calls come meanwhile. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#wanted = true;
    this.#claiming ??= this.#claimWhileWanted();
  }

  /** Resolves when no claim is on its way, so that every run this process holds is known here. */
  async settled(): Promise<void> {
    await this.#claiming;
  }

  /** Is every slot taken? */
  isFull(): boolean {
    return this.#attempts.size >= this.#parts.entry.concurrency;
  }

  holds(id: RunId): boolean {
    return this.#attempts.has(id);
  }

  /** Stops a run that this lane holds; `finished` where its command has ended and only the record is missing. */
  cancel(id: RunId): 'cancelling' | 'finished' {
    const attempt = this.#attempts.get(id);
    if (attempt === undefined || attempt.ended) return 'finished';
    attempt.stop.abort({ cause: 'cancelled', graceMs: null } satisfies StopOrder);
    return 'cancelling';
  }

  /** Claims nothing more, stops what runs and resolves when all of it has ended and is recorded. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    this.#cancelWake();
    const attempts = [...this.#attempts.values()];
    for (const { stop } of attempts) stop.abort({ cause: 'interrupted', graceMs } satisfies StopOrder);
    await Promise.all([this.#claiming, ...attempts.map((attempt) => attempt.done)]);
  }

  async #claimWhileWanted(): Promise<void> {
    while (this.#wanted && !this.#stopping.signal.aborted) {
      this.#wanted = false;
      try {
        await this.#claimFreeSlots();
      } catch (error) {
        const { pauseMs } = this.#startFailures.note(null, `runs cannot be claimed: ${messageOf(error)}`);
        this.#parts.logger.warn({ err: error, pauseMs }, 'runs cannot be claimed');
        this.#wakeAt(this.#startFailures.pausedUntil());
      }
    }
    // In the same step as the last look at `#wanted`, so that no wake falls between the two.
    this.#claiming = null;
  }

  async #claimFreeSlots(): Promise<void> {
    const { queue, factory, entry, clock } = this.#parts;
    const free = entry.concurrency - this.#attempts.size;
    if (free <= 0) return;
    const pausedUntil = this.#startFailures.pausedUntil();
    if (pausedUntil !== null) return this.#wakeAt(pausedUntil);
    // While runs cannot start, one at a time shows whether they can again.
    const limit = this.startFailure() === null ? free : 1;
    const resting = this.#startFailures.resting();
    const order = { factory, executor: entry.executor.type, limit, at: clock.wallMs(), except: resting.runs };
    const inputs = await queue.claim(order);
    if (inputs.length === 0) this.#noteEmptyQueue(resting);
    for (const input of inputs) {
      if (this.#stopping.signal.aborted) await this.#giveBack(input);
      else this.#begin(input);
    }
  }

  #noteEmptyQueue(resting: ReturnType<StartFailures['resting']>): void {
    if (resting.runs.length > 0) this.#wakeAt(resting.until);
    else if (this.#attempts.size === 0) this.#startFailures.clear();
  }

  #wakeAt(instant: number | null): void {
    this.#cancelWake();
    this.#cancelWake = callAt(instant ?? 0, this.#parts.clock, () => this.wake());
  }

  #begin(input: RunInput): void {
    const attempt: Attempt = { stop: new AbortController(), ended: false, done: Promise.resolve() };
    this.#attempts.set(input.run.id, attempt);
    attempt.done = this.#attend(input, attempt).finally(() => {
      this.#attempts.delete(input.run.id);
      this.wake();
    });
    this.#parts.onRunChanged(input.run.id);
  }

  async #attend(input: RunInput, attempt: Attempt): Promise<void> {
    const { entry, secrets } = this.#parts;
    const logger = this.#parts.logger.child({ run: input.run.id, attempt: input.run.attempt });
    const onStarted = () => this.#noteStart(input, logger);
    const { signal } = attempt.stop;
    const result = await carryOut(input, { executor: entry.executor, secrets, logger }, { signal, onStarted });
    if (result.state === 'not_started') return this.#postpone(input, result, signal, logger);
    attempt.ended = true;
    if (await this.#mayStartAgain(input, result)) return this.#giveBack(input);
    this.#startFailures.forget(input.run.id);
    await this.#record(input, result, logger);
  }

  #noteStart({ run }: RunInput, logger: Logger): void {
    if (this.startFailure() !== null) this.#parts.logger.info({ run: run.id }, 'runs start again');
    this.#startFailures.noteStart(run.id);
    logger.info({ automation: run.automation }, 'run started');
    // The others were held back until one could start.
    this.wake();
  }

  /** The run is not at fault: it goes back to the queue, and the lane pauses. */
  async #postpone(
    input: RunInput,
    { problem, nextAttempt }: NotStarted,
    signal: AbortSignal,
    logger: Logger,
  ): Promise<void> {
    if (this.#stopping.signal.aborted) return this.#giveBack(input, nextAttempt);
    const { id } = input.run;
    const { pauseMs, isHopeless } = this.#startFailures.note(id, problem);
    logger.warn({ problem, pauseMs }, 'run could not start');
    if (isHopeless) {
      this.#startFailures.forget(id);
      const error = `the run could not be prepared, while others could: ${problem}`;
      return this.#record(input, { state: 'failed', error, exitCode: null }, logger);
    }
    await this.#giveBack(input, nextAttempt);
    // Whoever cancelled it meanwhile was told that it ends.
    if (signal.aborted) await this.#parts.queue.cancelQueued({ id, at: this.#parts.clock.wallMs() });
    this.#parts.onRunChanged(id);
  }

  /** The slot stays taken until the end is on disk: a run that the queue still calls running uses it. */
  async #record({ run }: RunInput, result: RunResult, logger: Logger): Promise<void> {
    const { queue, clock, onRunChanged } = this.#parts;
    const at = clock.wallMs();
    const finished = await retryWithBackoff(
      () => queue.finish({ id: run.id, attempt: run.attempt, result, at }),
      this.#stopping.signal,
      (error, failures) => logger.warn({ err: error, failures }, 'the end of a run cannot be recorded; trying again'),
    );
    if (finished === null)
      logger.error({ result }, 'the end of a run was not recorded; the next start decides about it');
    else if (!finished.value) logger.warn({ result }, 'a run had been ended by somebody else; this end was dropped');
    else logger.info({ ...result }, 'run ended');
    onRunChanged(run.id);
  }

  /** The daemon stopped before the command started: as after a crash, the ticket decides. */
  async #mayStartAgain({ run }: RunInput, result: RunResult): Promise<boolean> {
    if (!this.#stopping.signal.aborted || result.error !== 'interrupted') return false;
    return !(await this.#parts.entry.executor.wasStarted(run.id, run.attempt).catch(() => true));
  }

  /** A run that was never started is queued again, for this daemon or the next one. */
  async #giveBack({ run }: RunInput, nextAttempt = run.attempt): Promise<void> {
    const { id, attempt } = run;
    await retryWithBackoff(
      () => this.#parts.queue.release({ id, attempt, nextAttempt }),
      this.#stopping.signal,
      (error) => this.#parts.logger.warn({ err: error, run: id }, 'a run cannot be given back'),
    );
  }
}
