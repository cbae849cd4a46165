import { AppError } from '../core/errors.ts';
import type { RunId } from '../core/ids.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { RunLogWriter } from '../core/ports/runs/executor.ts';
import type { RunObserver } from '../core/ports/runs/run-observer.ts';
import type { Admitted, RunQueue, RunReader } from '../core/ports/runs/run-queue.ts';
import type {
  ClaimedRun,
  Hold,
  HolderReport,
  HoldOutcome,
  LeaseTerm,
  WorkerControl,
} from '../core/ports/runs/worker-control.ts';
import type { Run, RunInput, RunProgress, RunResult } from '../core/resources/run.ts';
import type { BudgetTerms } from '../core/run-policy.ts';
import { retryWithBackoff } from '../core/time/backoff.ts';
import type { Clock } from '../core/time/clock.ts';
import { callAt } from '../core/time/schedule.ts';
import { TaskQueue } from '../core/time/task-queue.ts';
import { logEnd } from './factory-queue.ts';
import { RETRY_INTERRUPTED } from './recover.ts';

/** How workers hold the runs of one factory. */
export interface WorkerTerms {
  /** Maximum number of runs of the factory at the same time. */
  concurrency: number;
  /** Maximum time between two heartbeats of a worker. */
  leaseMs: number;
  /** Maximum duration of one attempt, also if its worker sends heartbeats. */
  timeoutMs: number;
  /** Does the configuration name the executor `queue`? Without any executor, workers may claim runs too. */
  hasExecutor: boolean;
  /** The number of attempts of the factory that may start in a period. Default: no limit. */
  budget?: BudgetTerms | null;
}

export interface RunLeaseParts {
  queue: RunQueue;
  runs: Pick<RunReader, 'get' | 'attempts'>;
  /** Does no run start? */
  isDraining(): boolean;
  logs: RunLogWriter;
  clock: Clock;
  logger: Logger;
  observer: RunObserver;
  /** Called for each run whose state changed, after the change is on disk. */
  onRunChanged(run: RunId): void;
  /** Follows what the policies of new runs did to other runs. */
  onAdmitted(admitted: Admitted): void;
  /** A run is queued again, or another one can start. */
  onReleased(factory: string): void;
  /** A receiver reports about a run whose request has no response yet. Resolves when it is accepted, or was given up. */
  acceptEarly(run: Run): Promise<void>;
  /** Masks secrets in what a receiver reports about the run. */
  openMask(run: Run): Promise<(text: string) => string>;
}

/** One attempt that a worker holds, or a receiver. */
interface Lease {
  run: Run;
  /** When its timeout elapses, on the monotonic clock. */
  endsAt: number;
  /** A receiver need not send heartbeats. */
  isReceiver: boolean;
  /** Opened for the first report of a receiver. */
  mask?: (text: string) => string;
  cancelExpiry(): void;
}

/** For runs of a factory that has another executor since, or that the configuration does not have any more. */
const LAST_TERMS: Pick<WorkerTerms, 'leaseMs' | 'timeoutMs'> = { leaseMs: 60_000, timeoutMs: 1_800_000 };

/**
 * The leases of runs that workers pull (executor `queue`), and of runs that a receiver has accepted. The queue stores who holds a run: `running`, with its attempt as
 * the fencing number. The end of a lease is only in memory, on the monotonic clock (threat model D9): after a restart each
 * worker has a full lease to report again. The deadline of a receiver is stored.
 */
export class RunLeases implements WorkerControl {
  readonly #parts: RunLeaseParts;
  #terms: ReadonlyMap<string, WorkerTerms>;
  readonly #held = new Map<RunId, Lease>();
  readonly #stopping = new AbortController();
  readonly #claims = new TaskQueue();
  #recovered = false;
  #turn = 0;
  readonly #askedFor = new Set<string>();
  readonly #budgetOpensAt = new Map<string, number | null>();

  /** @param terms by factory: those whose runs workers execute */
  constructor(parts: RunLeaseParts, terms: ReadonlyMap<string, WorkerTerms>) {
    this.#parts = parts;
    this.#terms = terms;
  }

  /** From now on, claims and renewals follow these terms. */
  setTerms(terms: ReadonlyMap<string, WorkerTerms>): void {
    this.#terms = terms;
  }

  claimable(): ReadonlySet<string> {
    return new Set(this.#terms.keys());
  }

  /** Number of runs of this factory that workers and receivers hold. */
  countHeld(factory: string): number {
    return [...this.#held.values()].filter(({ run }) => run.factory === factory).length;
  }

  /** Number of runs that workers and receivers hold. */
  countAllHeld(): number {
    return this.#held.size;
  }

  /** Has a worker asked for runs of this factory since the daemon started? */
  wasAskedFor(factory: string): boolean {
    return this.#askedFor.has(factory);
  }

  /** When the budget of the factory allows the next start, as wall time; `null` if it kept no run from starting. */
  budgetOpensAt(factory: string): number | null {
    return this.#budgetOpensAt.get(factory) ?? null;
  }

  /** Continues the leases of runs that workers and receivers held when an earlier daemon ended. */
  async recover(): Promise<void> {
    const { queue, logger } = this.#parts;
    for (const run of await queue.running('queue')) this.#hold(run);
    for (const { run, heldUntil } of await queue.accepted()) {
      this.#holdForReceiver(run, heldUntil);
      logger.info({ run: run.id, attempt: run.attempt }, 'receiver still executes the run');
    }
    this.#recovered = true;
  }

  /** A receiver has accepted the run. Resolves with `false` if its attempt has ended. */
  async accept(run: Run, heldUntil: number): Promise<boolean> {
    const { id, attempt } = run;
    if (!(await this.#parts.queue.accept({ id, attempt, heldUntil }))) return false;
    this.#holdForReceiver(run, heldUntil);
    this.#parts.onRunChanged(id);
    return true;
  }

  /** One claim at a time, so that two workers cannot both get the last free slot. */
  claim({ factories, limit, worker }: Parameters<WorkerControl['claim']>[0]): Promise<ClaimedRun[]> {
    for (const factory of factories) this.#askedFor.add(factory);
    return this.#claims.run(() => this.#claimOldest(factories, limit, worker));
  }

  async heartbeat(hold: Hold, { log, progress }: HolderReport): Promise<HoldOutcome<LeaseTerm> | null> {
    const run = await this.#find(hold);
    if (run === null) return null;
    if (!this.#holds(run, hold)) return { outcome: 'lost', run };
    const term = this.#hold(run);
    const mask = await this.#openMask(run, hold);
    await this.#keepLog(run, () => this.#parts.logs.append(run, mask(log)));
    if (progress !== null) await this.#noteProgress(run, { ...progress, text: progress.text && mask(progress.text) });
    return { outcome: 'held', ...term };
  }

  async complete(hold: Hold, reported: RunResult, log: string): Promise<HoldOutcome<{ run: Run }> | null> {
    const { queue, runs, logs, clock, observer } = this.#parts;
    const before = await this.#find(hold);
    if (before === null) return null;
    const mask = await this.#openMask(before, hold);
    const result = { ...reported, error: reported.error && mask(reported.error) };
    if (this.#holds(before, hold)) {
      await this.#keepLog(before, () => logs.append(before, mask(log)));
      const { id, fence: attempt } = hold;
      const at = clock.wallMs();
      const end = await queue.finish({ id, attempt, result, at });
      if (end !== null) {
        logEnd(this.#loggerOf(before), result, end);
        observer.onEnded(before, result, at);
        this.#letGo(before);
      }
    }
    const run = (await runs.get(hold.id)) ?? before;
    return { outcome: (await this.#hasEnded(hold, result)) ? 'held' : 'lost', run };
  }

  /** Whether the attempt ended as its worker says. The run may have a later attempt by now. */
  async #hasEnded({ id, fence }: Hold, { state, error }: RunResult): Promise<boolean> {
    const attempts = (await this.#parts.runs.attempts([id])).get(id) ?? [];
    const attempt = attempts.find(({ number }) => number === fence);
    const wasHeld = attempt?.executor === 'queue' || attempt?.heldUntil !== null;
    return wasHeld && attempt?.state === state && attempt.error === error;
  }

  /** Takes a run from its holder, which learns it from its next report. Resolves with `false` if nobody holds it. */
  async cancel(run: Run): Promise<boolean> {
    if (!this.#isHeld(run)) return false;
    const result: RunResult = { state: 'cancelled', error: 'cancelled', exitCode: null };
    const { id, attempt } = run;
    const at = this.#parts.clock.wallMs();
    const isCancelled = (await this.#parts.queue.finish({ id, attempt, result, at })) !== null;
    if (isCancelled) {
      this.#parts.observer.onEnded(run, result, at);
      this.#letGo(run);
    }
    return isCancelled;
  }

  /** Stops giving out runs. Workers and receivers keep the runs that they hold: the next daemon continues the leases. */
  stop(): void {
    this.#stopping.abort();
    for (const lease of this.#held.values()) lease.cancelExpiry();
  }

  async #claimOldest(factories: readonly string[], limit: number, worker: string): Promise<ClaimedRun[]> {
    if (!this.#recovered || this.#stopping.signal.aborted) {
      throw new AppError('storage_unavailable', 'The daemon cannot give out runs now; try again in a moment.');
    }
    const claimed: ClaimedRun[] = [];
    if (this.#parts.isDraining()) return claimed;
    for (const factory of rotate(factories, this.#turn++)) {
      const inputs = await this.#take(factory, limit - claimed.length, worker);
      for (const input of inputs) claimed.push(await this.#giveOut(input));
    }
    return claimed;
  }

  async #giveOut(input: RunInput): Promise<ClaimedRun> {
    const { run } = input;
    const term = this.#hold(run);
    this.#parts.onRunChanged(run.id);
    this.#loggerOf(run).info({ automation: run.automation, executor: 'queue' }, 'run started');
    this.#parts.observer.onClaimed(run, input.queuedAt);
    await this.#keepLog(run, () => this.#beginLog(run));
    return { input, fence: run.attempt, ...term };
  }

  async #beginLog(run: Run): Promise<void> {
    const { id, attempt } = run;
    const offset = await this.#parts.logs.begin(run);
    if (attempt > 1) await this.#parts.queue.noteLogOffset({ id, attempt, offset });
  }

  /** A log that cannot be written must not take the run from its worker. */
  async #keepLog(run: Run, write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) => {
      this.#loggerOf(run).warn({ err: error }, 'writing the log of a run failed');
    });
  }

  #loggerOf({ factory, id, attempt }: Run): Logger {
    return this.#parts.logger.child({ factory, run: id, attempt });
  }

  async #take(factory: string, wanted: number, worker: string): Promise<RunInput[]> {
    const { queue, clock } = this.#parts;
    const { concurrency = 0, budget = null } = this.#terms.get(factory) ?? {};
    const limit = Math.min(wanted, concurrency - this.countHeld(factory));
    if (limit <= 0) return [];
    const { inputs, budgetOpensAt, ...admitted } = await queue.claim({
      factory,
      executor: 'queue',
      limit,
      worker,
      at: clock.wallMs(),
      budget,
    });
    this.#budgetOpensAt.set(factory, budgetOpensAt);
    this.#parts.onAdmitted(admitted);
    return inputs;
  }

  /** The run that a holder names, after its receiver has accepted it; `null` if it is unknown. */
  async #find(hold: Hold): Promise<Run | null> {
    const run = await this.#parts.runs.get(hold.id);
    if (run === null || hold.isReceiver !== true || run.attempt !== hold.fence) return run;
    if (hasEnded(run) || this.#holds(run, hold)) return run;
    await this.#parts.acceptEarly(run);
    const accepted = await this.#parts.runs.get(hold.id);
    if (accepted === null || hasEnded(accepted) || this.#holds(accepted, hold)) return accepted;
    throw new AppError(
      'storage_unavailable',
      'The daemon sends the request of this run again. Repeat the report in a moment.',
    );
  }

  /** Workers mask what they report themselves. */
  async #openMask(run: Run, { isReceiver }: Hold): Promise<(text: string) => string> {
    if (isReceiver !== true) return (text) => text;
    const lease = this.#held.get(run.id);
    const mask = lease?.mask ?? (await this.#parts.openMask(run));
    if (lease !== undefined) lease.mask = mask;
    return mask;
  }

  #isHeld({ id, state, attempt, executor }: Run): boolean {
    return state === 'running' && (executor === 'queue' || this.#held.get(id)?.run.attempt === attempt);
  }

  #holds(run: Run, { fence }: Hold): boolean {
    return run.attempt === fence && this.#isHeld(run);
  }

  /** Begins or renews the lease of an attempt; a renewal does not extend its timeout. */
  #hold(run: Run): LeaseTerm {
    const { leaseMs, timeoutMs } = this.#terms.get(run.factory) ?? LAST_TERMS;
    const now = this.#parts.clock.monotonicMs();
    const earlier = this.#held.get(run.id);
    if (earlier?.run.attempt !== run.attempt) {
      return this.#keep({ run, endsAt: now + timeoutMs, isReceiver: false }, now + leaseMs);
    }
    return this.#keep({ ...earlier, run }, earlier.isReceiver ? earlier.endsAt : now + leaseMs);
  }

  /** The clock of the machine may have been changed: a run never lasts longer than from its start to its deadline. */
  #holdForReceiver(run: Run, heldUntil: number): void {
    const { clock } = this.#parts;
    const remainingMs = Math.min(heldUntil - clock.wallMs(), heldUntil - (run.startedAt ?? 0));
    const endsAt = clock.monotonicMs() + Math.max(0, remainingMs);
    this.#keep({ run, endsAt, isReceiver: true }, endsAt);
  }

  #keep(lease: Omit<Lease, 'cancelExpiry'>, leaseEndsAt: number): LeaseTerm {
    const { clock } = this.#parts;
    const { id } = lease.run;
    this.#held.get(id)?.cancelExpiry();
    const dueAt = Math.min(leaseEndsAt, lease.endsAt);
    this.#held.set(id, { ...lease, cancelExpiry: callAt(dueAt, clock, () => void this.#expire(id)) });
    const untilMs = Math.max(0, Math.round(dueAt - clock.monotonicMs()));
    return { leaseMs: untilMs, expiresAt: clock.wallMs() + untilMs };
  }

  async #noteProgress({ id, attempt }: Run, progress: RunProgress): Promise<void> {
    await this.#parts.queue.noteProgress({ id, attempt, progress });
    this.#parts.onRunChanged(id);
  }

  #letGo({ id, factory }: Run): void {
    this.#held.get(id)?.cancelExpiry();
    this.#held.delete(id);
    this.#parts.onRunChanged(id);
    this.#parts.onReleased(factory);
  }

  /** The slot stays in use until the new state of the run is on disk. */
  async #expire(id: RunId): Promise<void> {
    const lease = this.#held.get(id);
    if (lease === undefined) return;
    const logger = this.#loggerOf(lease.run);
    const settled = await retryWithBackoff(
      () => this.#settle(lease),
      this.#stopping.signal,
      (error, failures) => logger.warn({ err: error, failures }, 'ending a lease failed, retrying'),
    );
    if (settled === null || settled.value === 'renewed' || settled.value === 'ended') return;
    logger.warn({ outcome: settled.value }, 'lease expired');
    // A heartbeat at the same moment may have renewed the lease of the attempt that ended.
    if (this.#held.get(id)?.run.attempt === lease.run.attempt) this.#letGo(lease.run);
    else this.#parts.onReleased(lease.run.factory);
  }

  async #settle(lease: Lease): Promise<'renewed' | 'ended' | 'timeout' | 'interrupted' | 'queued_again'> {
    const { queue, clock, observer } = this.#parts;
    const { run } = lease;
    const { id, attempt } = run;
    if (this.#held.get(id) !== lease) return 'renewed';
    const isLate = clock.monotonicMs() >= lease.endsAt;
    const at = clock.wallMs();
    const error = isLate ? 'timeout' : 'interrupted';
    const result: RunResult = { state: 'failed', error, exitCode: null };
    const end = await queue.finish({ id, attempt, result, at, otherwise: RETRY_INTERRUPTED });
    // Its worker may have ended the run at the same moment, which is then counted already.
    if (end === null) return 'ended';
    observer.onEnded(run, result, at);
    return end.nextAttemptAt === null ? error : 'queued_again';
  }
}

function hasEnded({ state }: Run): boolean {
  return state !== 'queued' && state !== 'running';
}

/** Begins with another factory each time, so that none waits forever behind a busy one. */
function rotate<T>(items: readonly T[], turns: number): T[] {
  const first = items.length === 0 ? 0 : turns % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
