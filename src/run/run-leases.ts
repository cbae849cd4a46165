import { AppError } from '../core/errors.ts';
import type { RunId } from '../core/ids.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { RunLogWriter } from '../core/ports/runs/executor.ts';
import type { RunQueue, RunReader } from '../core/ports/runs/run-queue.ts';
import type { ClaimedRun, Hold, HoldOutcome, LeaseTerm, WorkerControl } from '../core/ports/runs/worker-control.ts';
import type { Run, RunInput, RunResult } from '../core/run.ts';
import { retryWithBackoff } from '../core/time/backoff.ts';
import type { Clock } from '../core/time/clock.ts';
import { callAt } from '../core/time/schedule.ts';
import { TaskQueue } from '../core/time/task-queue.ts';
import { MAX_INTERRUPTED_ATTEMPTS } from './recover.ts';

/** How workers hold the runs of one factory. */
export interface WorkerTerms {
  /** At most so many runs of the factory at a time. */
  concurrency: number;
  /** How long a worker may be silent. */
  leaseMs: number;
  /** How long one attempt may take, however lively its worker is. */
  timeoutMs: number;
  /** Does the configuration name the executor `queue`? Without any executor, workers may claim runs too. */
  hasExecutor: boolean;
}

export interface RunLeaseParts {
  queue: RunQueue;
  runs: Pick<RunReader, 'get'>;
  /** By factory: those whose runs workers carry out. */
  workers: ReadonlyMap<string, WorkerTerms>;
  logs: RunLogWriter;
  clock: Clock;
  logger: Logger;
  /** Told of every run whose state changed, after the change is on disk. */
  onRunChanged(run: RunId): void;
  /** A run is queued again. */
  onReleased(factory: string): void;
}

/** One attempt in the hands of a worker. */
interface Lease {
  run: Run;
  /** When its time is over, on the monotonic clock. */
  endsAt: number;
  cancelExpiry(): void;
}

/** For runs of a factory that the configuration has given to a command since, or names no more. */
const LAST_TERMS: Pick<WorkerTerms, 'leaseMs' | 'timeoutMs'> = { leaseMs: 60_000, timeoutMs: 1_800_000 };

/**
 * The leases of runs that workers pull (executor `queue`). Who holds a run stands in the queue: `running`, by its
 * attempt, which is the fencing number. Until when stands only here, on the monotonic clock (threat model D9): after
 * a restart each worker has a whole lease to report again.
 */
export class RunLeases implements WorkerControl {
  readonly #parts: RunLeaseParts;
  readonly #held = new Map<RunId, Lease>();
  readonly #stopping = new AbortController();
  readonly #claims = new TaskQueue();
  #recovered = false;
  #turn = 0;
  readonly #askedFor = new Set<string>();

  constructor(parts: RunLeaseParts) {
    this.#parts = parts;
  }

  claimable(): ReadonlySet<string> {
    return new Set(this.#parts.workers.keys());
  }

  /** How many of the runs of this factory workers hold. */
  countHeld(factory: string): number {
    return [...this.#held.values()].filter(({ run }) => run.factory === factory).length;
  }

  /** Has a worker asked for runs of this factory since the daemon started? */
  wasAskedFor(factory: string): boolean {
    return this.#askedFor.has(factory);
  }

  /** Takes up what workers held when an earlier daemon ended. */
  async recover(): Promise<void> {
    for (const run of await this.#parts.queue.running('queue')) this.#hold(run);
    this.#recovered = true;
  }

  /** One at a time, so that two workers that ask at once do not both get the last free place. */
  claim({ factories, limit }: Parameters<WorkerControl['claim']>[0]): Promise<ClaimedRun[]> {
    for (const factory of factories) this.#askedFor.add(factory);
    return this.#claims.run(() => this.#claimOldest(factories, limit));
  }

  async heartbeat(hold: Hold, log: string): Promise<HoldOutcome<LeaseTerm> | null> {
    const run = await this.#parts.runs.get(hold.id);
    if (run === null) return null;
    if (!this.#holds(run, hold)) return { outcome: 'lost', run };
    const term = this.#hold(run);
    await this.#keepLog(run, () => this.#parts.logs.append(run, log));
    return { outcome: 'held', ...term };
  }

  async complete(hold: Hold, result: RunResult, log: string): Promise<HoldOutcome<{ run: Run }> | null> {
    const { queue, runs, logs, clock } = this.#parts;
    const before = await runs.get(hold.id);
    if (before === null) return null;
    if (this.#holds(before, hold)) {
      await this.#keepLog(before, () => logs.append(before, log));
      const { id, fence: attempt } = hold;
      if (await queue.finish({ id, attempt, result, at: clock.wallMs() })) {
        this.#loggerOf(before).info({ ...result }, 'run ended');
        this.#letGo(id);
      }
    }
    const run = (await runs.get(hold.id)) ?? before;
    const isEndOfThis = run.executor === 'queue' && run.attempt === hold.fence && run.state === result.state;
    return isEndOfThis ? { outcome: 'held', run } : { outcome: 'lost', run };
  }

  /** Takes a run from its worker, which hears of it with its next heartbeat. `false` where no worker holds it. */
  async cancel(run: Run): Promise<boolean> {
    if (run.state !== 'running' || run.executor !== 'queue') return false;
    const result: RunResult = { state: 'cancelled', error: 'cancelled', exitCode: null };
    const { id, attempt } = run;
    const isCancelled = await this.#parts.queue.finish({ id, attempt, result, at: this.#parts.clock.wallMs() });
    if (isCancelled) this.#letGo(id);
    return isCancelled;
  }

  /** Gives nothing out any more. What workers hold stays theirs: the next daemon takes it up. */
  stop(): void {
    this.#stopping.abort();
    for (const lease of this.#held.values()) lease.cancelExpiry();
  }

  async #claimOldest(factories: readonly string[], limit: number): Promise<ClaimedRun[]> {
    if (!this.#recovered || this.#stopping.signal.aborted) {
      throw new AppError('storage_unavailable', 'The daemon gives out no runs just now; try again in a moment.');
    }
    const claimed: ClaimedRun[] = [];
    for (const factory of rotate(factories, this.#turn++)) {
      const inputs = await this.#take(factory, limit - claimed.length);
      for (const input of inputs) claimed.push(await this.#giveOut(input));
    }
    return claimed;
  }

  async #giveOut(input: RunInput): Promise<ClaimedRun> {
    const { run } = input;
    const term = this.#hold(run);
    this.#parts.onRunChanged(run.id);
    this.#loggerOf(run).info({ automation: run.automation, executor: 'queue' }, 'run started');
    await this.#keepLog(run, () => this.#parts.logs.begin(run));
    return { input, fence: run.attempt, ...term };
  }

  /** A log that cannot be written takes no run from its worker. */
  async #keepLog(run: Run, write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) => {
      this.#loggerOf(run).warn({ err: error }, "a run's log is not complete");
    });
  }

  #loggerOf({ factory, id, attempt }: Run): Logger {
    return this.#parts.logger.child({ factory, run: id, attempt });
  }

  async #take(factory: string, wanted: number): Promise<RunInput[]> {
    const { queue, workers, clock } = this.#parts;
    const limit = Math.min(wanted, (workers.get(factory)?.concurrency ?? 0) - this.countHeld(factory));
    return limit <= 0 ? [] : queue.claim({ factory, executor: 'queue', limit, at: clock.wallMs() });
  }

  #holds(run: Run, { fence }: Hold): boolean {
    return run.state === 'running' && run.executor === 'queue' && run.attempt === fence;
  }

  /** Begins the lease of an attempt, or begins it anew; its whole time is not prolonged. */
  #hold(run: Run): LeaseTerm {
    const { workers, clock } = this.#parts;
    const { leaseMs, timeoutMs } = workers.get(run.factory) ?? LAST_TERMS;
    const earlier = this.#held.get(run.id);
    earlier?.cancelExpiry();
    const now = clock.monotonicMs();
    const endsAt = earlier?.run.attempt === run.attempt ? earlier.endsAt : now + timeoutMs;
    const dueAt = Math.min(now + leaseMs, endsAt);
    const cancelExpiry = callAt(dueAt, clock, () => void this.#expire(run.id));
    this.#held.set(run.id, { run, endsAt, cancelExpiry });
    const untilMs = Math.max(0, Math.round(dueAt - now));
    return { leaseMs: untilMs, expiresAt: clock.wallMs() + untilMs };
  }

  #letGo(id: RunId): void {
    this.#held.get(id)?.cancelExpiry();
    this.#held.delete(id);
    this.#parts.onRunChanged(id);
  }

  /** The place stays taken until it is on disk what becomes of the run. */
  async #expire(id: RunId): Promise<void> {
    const lease = this.#held.get(id);
    if (lease === undefined) return;
    const logger = this.#loggerOf(lease.run);
    const settled = await retryWithBackoff(
      () => this.#settle(lease),
      this.#stopping.signal,
      (error, failures) => logger.warn({ err: error, failures }, 'a lease that is over cannot be settled'),
    );
    if (settled === null || settled.value === 'renewed') return;
    logger.warn({ outcome: settled.value }, 'the lease of a run is over');
    // A heartbeat that came in the same moment may have begun a lease of the attempt that is over.
    if (this.#held.get(id)?.run.attempt === lease.run.attempt) this.#letGo(id);
    if (settled.value === 'queued_again') this.#parts.onReleased(lease.run.factory);
  }

  async #settle(lease: Lease): Promise<'renewed' | 'timeout' | 'interrupted' | 'queued_again'> {
    const { queue, clock } = this.#parts;
    const { id, attempt } = lease.run;
    if (this.#held.get(id) !== lease) return 'renewed';
    const isLate = clock.monotonicMs() >= lease.endsAt;
    if (!isLate && attempt < MAX_INTERRUPTED_ATTEMPTS) {
      await queue.release({ id, attempt, nextAttempt: attempt + 1 });
      return 'queued_again';
    }
    const error = isLate ? 'timeout' : 'interrupted';
    await queue.finish({ id, attempt, result: { state: 'failed', error, exitCode: null }, at: clock.wallMs() });
    return error;
  }
}

/** Begins with another one each time, so that none waits for ever behind a busy one. */
function rotate<T>(items: readonly T[], turns: number): T[] {
  const first = items.length === 0 ? 0 : turns % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
