import { AppError } from '../domain/errors.ts';
import type { RunId } from '../domain/ids.ts';
import type { Executor, RunLogWriter, StartRecords } from '../domain/ports/executor.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { RunObserver } from '../domain/ports/run-control.ts';
import type { RunQueue, RunReader } from '../domain/ports/run-queue.ts';
import type { Hold, HolderReport, HoldOutcome, LeaseTerm, NewOutput } from '../domain/ports/workers.ts';
import type { Run, RunProgress, RunResult } from '../domain/resources/run.ts';
import { maskTexts } from '../domain/runs/run-output.ts';
import { NO_RETRY, RETRY_INTERRUPTED, type RetryTerms } from '../domain/runs/run-policy.ts';
import type { Clock } from '../domain/time/clock.ts';
import { callAt } from '../domain/time/schedule.ts';
import type { DispatchState, WorkerTerms } from './dispatch-terms.ts';
import { logEnd, type RunEnds } from './run-ends.ts';
import type { RunEvents } from './run-events.ts';
import type { WorkerKey, WorkerRegistry } from './workers/worker-registry.ts';

export interface RunLeaseParts {
  queue: RunQueue;
  ends: RunEnds;
  runs: Pick<RunReader, 'get' | 'attempts'>;
  logs: RunLogWriter;
  startRecords: Pick<StartRecords, 'create' | 'exists'>;
  clock: Clock;
  logger: Logger;
  observer: RunObserver;
  events: RunEvents;
  state: DispatchState;
  registry: Pick<WorkerRegistry, 'note'>;
  /** What sends runs to receivers. */
  senders: {
    /** A receiver reports about a run whose request has no response yet. Resolves when it is accepted, or was given up. */
    acceptEarly(run: Run): Promise<void>;
  };
  /** Masks secrets in what a receiver reports about the run. */
  openMask(run: Run): Promise<(text: string) => string>;
}

/** One attempt that a worker holds, or a receiver. */
interface Lease {
  run: Run;
  /** The worker that holds it; `null` for a receiver, and until the worker reports after a restart of the daemon. */
  worker: WorkerKey | null;
  /** Size of the output that was received, in bytes; `null` after a restart of the daemon. */
  received: number | null;
  /** When its timeout elapses, on the monotonic clock. */
  endsAt: number;
  /** A receiver need not send heartbeats. */
  isReceiver: boolean;
  /** Opened for the first report of a receiver. */
  mask?: (text: string) => string;
  cancelExpiry(): void;
}

/** For runs of a factory that has another executor since, or that is no longer in the configuration. */
const LAST_TERMS: WorkerTerms = {
  concurrency: 0,
  leaseMs: 60_000,
  timeoutMs: 1_800_000,
  hasExecutor: false,
  retry: 'never',
};

/** A worker that records the start of an attempt ends it itself at its timeout, and has this time to report that. */
const STOP_MARGIN_MS = 15_000;

/** A run that was handed back this often has workers that cannot start it. */
const MAX_HANDED_BACK = 50;

/**
 * The leases of runs that workers pull (executor `queue`), and of runs that a receiver has accepted. The queue stores who
 * holds a run: `running`, with its attempt as the fencing number. The end of a lease is only in memory, on the monotonic
 * clock (threat model D9): after a restart each worker has a full lease to report again. The deadline of a receiver is stored.
 *
 * ```
 *      sent to a receiver (`FactoryQueue`) ───┐ accept
 *                            give             ▼        heartbeat, start: the lease begins again
 *      queued ─────────────────────────────▶ held ◀─────┐
 *       ▲  ▲                                  │  │ └─────┘
 *       │  └── takeBack, handBack, complete ──┘  ├──────────────▶ ended: complete, cancel, fail
 *       │      (failed, and retried)             │
 *       │                                        │ interrupt, no heartbeat for `leaseMs`, or `timeoutMs` elapsed
 *       │                                        ▼
 *       └──────────────────────────────────── expired ──────────▶ ended: `interrupted`, `timeout`
 *         never started, or `retry: interrupted`
 * ```
 *
 * A receiver has no `leaseMs`: its lease ends at its deadline. `recover` begins with what an earlier daemon held.
 *
 * A holder that reports with an earlier attempt, or after the end, gets `lost`.
 */
export class RunLeases {
  readonly #parts: RunLeaseParts;
  readonly #held = new Map<RunId, Lease>();
  /** Until when this daemon follows leases; `null` before it leads for the first time. */
  #term: AbortSignal | null = null;
  #recovered = false;

  constructor(parts: RunLeaseParts) {
    this.#parts = parts;
  }

  /** How workers hold the runs of this factory; `null` if they may not claim them. */
  termsOf(factory: string): WorkerTerms | null {
    return this.#parts.state.terms.workers.get(factory) ?? null;
  }

  /** The factories whose runs workers may claim. */
  factories(): ReadonlySet<string> {
    return new Set(this.#parts.state.terms.workers.keys());
  }

  /** Are the leases of an earlier daemon known, and the term not over? */
  get isOpen(): boolean {
    return this.#recovered && this.#term?.aborted === false;
  }

  /** Number of runs of this factory that workers and receivers hold. */
  countHeld(factory: string): number {
    return [...this.#held.values()].filter(({ run }) => run.factory === factory).length;
  }

  /** Does a worker or a receiver hold this run? */
  holds(id: RunId): boolean {
    return this.#held.has(id);
  }

  /** Number of runs that workers and receivers hold. */
  countAllHeld(): number {
    return this.#held.size;
  }

  /** The runs that this worker holds. */
  heldBy(worker: WorkerKey): Run[] {
    return [...this.#held.values()].filter((lease) => lease.worker === worker).map(({ run }) => run);
  }

  /**
   * Continues the leases of runs that workers and receivers held when an earlier daemon ended.
   *
   * @param term gives out no runs and ends no leases after it aborts. Workers and receivers keep the runs that they hold: who
   *   leads next continues the leases
   */
  async recover(term: AbortSignal): Promise<void> {
    const { queue, logger } = this.#parts;
    this.forget();
    this.#term = term;
    const [running, accepted] = [await queue.running('queue'), await queue.accepted()];
    if (term.aborted) return;
    for (const { run } of running) this.#hold(run);
    for (const { run, heldUntil } of accepted) {
      this.#holdForReceiver(run, heldUntil);
      logger.info({ run: run.id, attempt: run.attempt }, 'receiver still executes the run');
    }
    this.#recovered = true;
    term.addEventListener('abort', () => this.#endExpiries(), { once: true });
  }

  /** Another daemon may follow the leases now. */
  forget(): void {
    this.#endExpiries();
    this.#held.clear();
    this.#recovered = false;
  }

  #endExpiries(): void {
    for (const lease of this.#held.values()) lease.cancelExpiry();
  }

  /** Takes back the runs that a claim gave to no worker, because its answer was lost. Call it while no claim is in progress. */
  async recoverStrays(): Promise<void> {
    const { queue, startRecords } = this.#parts;
    const held = new Set(this.#held.keys());
    for (const { run } of await queue.running('queue')) {
      if (held.has(run.id)) continue;
      this.#loggerOf(run).warn({}, 'run recovered that no worker received');
      // Nobody received it, so nobody started it. Otherwise, its lease ends as that of any lost worker.
      if (await startRecords.exists(run.id, run.attempt)) this.#hold(run);
      else await this.takeBack(run);
    }
  }

  /** A receiver has accepted the run. Resolves with `false` if its attempt has ended. */
  async accept(run: Run, heldUntil: number): Promise<boolean> {
    const { id, attempt } = run;
    if (!(await this.#parts.queue.accept({ id, attempt, heldUntil }))) return false;
    this.#holdForReceiver(run, heldUntil);
    this.#parts.events.emit('changed', id);
    return true;
  }

  /** A worker has claimed the run. */
  give(run: Run, worker: WorkerKey): LeaseTerm {
    return this.#hold(run, { worker, received: 0 });
  }

  /** A worker did not get the run that it has claimed. Its attempt is used again. */
  async takeBack(run: Run): Promise<void> {
    const { id, attempt } = run;
    if (await this.#parts.queue.release({ id, attempt })) this.#letGo(run);
  }

  /** A worker has lost the run, as if its lease had ended. */
  interrupt(id: RunId): Promise<void> {
    return this.#expire(id);
  }

  async heartbeat(hold: Hold, report: HolderReport): Promise<HoldOutcome<LeaseTerm> | null> {
    const run = await this.#find(hold);
    if (run === null) return null;
    if (!this.#holds(run, hold)) return { outcome: 'lost', run };
    const term = this.#hold(run, this.#noteWorker(report, run));
    const { progress } = report;
    const mask = await this.#openMask(run, hold);
    await this.#appendLog(run, report, mask);
    if (progress !== null) await this.#noteProgress(run, { ...progress, text: progress.text && mask(progress.text) });
    return { outcome: 'held', ...term };
  }

  /** A receiver reports without a worker. */
  #noteWorker({ worker }: HolderReport, { factory }: Run): Partial<Pick<Lease, 'worker'>> {
    return worker === undefined ? {} : { worker: this.#parts.registry.note(worker, [factory]) };
  }

  /** Records that the worker is about to start the attempt. */
  async start(hold: Hold): Promise<HoldOutcome<LeaseTerm> | null> {
    const { runs, startRecords, clock } = this.#parts;
    const before = await runs.get(hold.id);
    if (before === null) return null;
    // A worker that received no response repeats the request, so the record may exist.
    if (this.#holds(before, hold)) await startRecords.create(hold.id, hold.fence);
    // The lease may have ended before the record existed: then the run may be given to another worker.
    const run = (await runs.get(hold.id)) ?? before;
    if (!this.#holds(run, hold)) return { outcome: 'lost', run };
    const { timeoutMs } = this.termsOf(run.factory) ?? LAST_TERMS;
    const endsAt = clock.monotonicMs() + timeoutMs + STOP_MARGIN_MS;
    return { outcome: 'held', ...this.#hold(run, { endsAt }) };
  }

  /** Queues a run again that its worker has not started. */
  async handBack(hold: Hold, reason: string): Promise<HoldOutcome<{ run: Run }> | null> {
    const before = await this.#parts.runs.get(hold.id);
    if (before === null) return null;
    const result: RunResult = { state: 'failed', error: `handed back by its worker: ${reason}`, exitCode: null };
    if (this.#holds(before, hold)) await this.#queueAgain(before, result);
    const run = (await this.#parts.runs.get(hold.id)) ?? before;
    return { outcome: (await this.#hasEnded(hold, result)) ? 'held' : 'lost', run };
  }

  async #queueAgain(run: Run, result: RunResult): Promise<void> {
    const { queue, ends, startRecords, clock, observer } = this.#parts;
    const { id, attempt } = run;
    if (await startRecords.exists(id, attempt)) {
      throw new AppError('conflict', 'The attempt was started, so it cannot be handed back: complete the run instead.');
    }
    const at = clock.wallMs();
    const isQueued = attempt < MAX_HANDED_BACK;
    const isDone = isQueued
      ? await queue.retryFailed({ id, attempt, error: result.error!, at })
      : (await ends.finish({ id, attempt, result, at })).end !== null;
    if (!isDone) return;
    this.#loggerOf(run).info({ ...result }, isQueued ? 'run handed back' : 'run ended');
    observer.onEnded(run, result, at);
    this.#letGo(run);
  }

  async complete(
    hold: Hold,
    reported: RunResult,
    output: NewOutput = { log: '' },
  ): Promise<HoldOutcome<{ run: Run }> | null> {
    const { ends, runs, clock, observer } = this.#parts;
    const before = await this.#find(hold);
    if (before === null) return null;
    const mask = await this.#openMask(before, hold);
    let result = await maskResult(reported, mask);
    if (this.#holds(before, hold)) {
      await this.#appendLog(before, output, mask);
      const { id, fence: attempt } = hold;
      const at = clock.wallMs();
      const otherwise = result.error === 'interrupted' ? await this.#retryOf(before) : NO_RETRY;
      const recorded = await ends.finish({ id, attempt, result, at, otherwise });
      result = recorded.result;
      if (recorded.end !== null) {
        logEnd(this.#loggerOf(before), result, recorded.end);
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
    const isReceiver = this.#held.get(id)?.isReceiver === true;
    const isCancelled = (await this.#parts.ends.finish({ id, attempt, result, at })).end !== null;
    if (isCancelled) {
      this.#parts.observer.onEnded(run, result, at);
      this.#letGo(run);
      if (isReceiver) this.#executorOf(run)?.noteCancelled?.(run);
    }
    return isCancelled;
  }

  /** Ends the attempt of a run that was claimed and cannot be given to its worker. */
  async fail(run: Run, error: string): Promise<void> {
    const { ends, clock, observer } = this.#parts;
    const { id, attempt } = run;
    const failed: RunResult = { state: 'failed', error, exitCode: null };
    const at = clock.wallMs();
    const { end, result } = await ends.finish({ id, attempt, result: failed, at });
    if (end !== null) {
      logEnd(this.#loggerOf(run), result, end);
      observer.onEnded(run, result, at);
    }
    this.#letGo(run);
  }

  /** Whether an attempt that lost its worker is retried: one that was perhaps started, only if the configuration allows it. */
  async #retryOf({ id, attempt, factory }: Run): Promise<RetryTerms> {
    const { retry } = this.termsOf(factory) ?? LAST_TERMS;
    if (retry === 'interrupted') return RETRY_INTERRUPTED;
    return (await this.#parts.startRecords.exists(id, attempt)) ? NO_RETRY : RETRY_INTERRUPTED;
  }

  /** Appends the output that was not received before. Positions count the bytes before they are masked. */
  async #appendLog(run: Run, { log, logOffset = null }: NewOutput, mask: (text: string) => string): Promise<void> {
    const { logs } = this.#parts;
    const lease = this.#held.get(run.id);
    const bytes = Buffer.from(log);
    if (lease === undefined || logOffset === null) return this.#keepLog(run, () => logs.append(run, mask(log)));
    const received = lease.received ?? (await logs.received?.(run)) ?? logOffset;
    const end = Math.max(received, logOffset + bytes.length);
    lease.received = end;
    const text = bytes.subarray(Math.max(0, received - logOffset)).toString();
    if (text === '') return;
    try {
      await this.#keepLog(run, () => logs.append(run, mask(text), end));
    } catch (error) {
      // The holder repeats the text.
      lease.received = null;
      throw error;
    }
  }

  /** A log that cannot be written must not take the run from its worker. Throws `storage_unavailable`. */
  async #keepLog(run: Run, write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'storage_unavailable') throw error;
      this.#loggerOf(run).warn({ err: error }, 'writing the log of a run failed');
    });
  }

  #executorOf({ factory }: Run): Executor | undefined {
    return this.#parts.state.terms.executors.get(factory)?.executor;
  }

  #loggerOf({ factory, id, attempt }: Run): Logger {
    return this.#parts.logger.child({ factory, run: id, attempt });
  }

  /** The run that a holder names, after its receiver has accepted it; `null` if it is unknown. */
  async #find(hold: Hold): Promise<Run | null> {
    const run = await this.#parts.runs.get(hold.id);
    if (run === null || hold.isReceiver !== true || run.attempt !== hold.fence) return run;
    if (hasEnded(run) || this.#holds(run, hold)) return run;
    await this.#parts.senders.acceptEarly(run);
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
  #hold(run: Run, changes: Partial<Pick<Lease, 'worker' | 'received' | 'endsAt'>> = {}): LeaseTerm {
    const { leaseMs, timeoutMs } = this.termsOf(run.factory) ?? LAST_TERMS;
    const now = this.#parts.clock.monotonicMs();
    const held = this.#held.get(run.id);
    const begun = { worker: null, received: null, endsAt: now + timeoutMs, isReceiver: false };
    const lease = Object.assign({}, held?.run.attempt === run.attempt ? held : begun, changes, { run });
    return this.#keep(lease, lease.isReceiver ? lease.endsAt : now + leaseMs);
  }

  /** The clock of the machine may have been changed: a run never lasts longer than from its start to its deadline. */
  #holdForReceiver(run: Run, heldUntil: number): void {
    const { clock } = this.#parts;
    const remainingMs = Math.min(heldUntil - clock.wallMs(), heldUntil - (run.startedAt ?? 0));
    const endsAt = clock.monotonicMs() + Math.max(0, remainingMs);
    this.#keep({ run, worker: null, received: null, endsAt, isReceiver: true }, endsAt);
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
    this.#parts.events.emit('changed', id);
  }

  #letGo({ id, factory }: Run): void {
    this.#held.get(id)?.cancelExpiry();
    this.#held.delete(id);
    this.#parts.events.emit('changed', id);
    this.#parts.events.emit('startable', factory);
  }

  /** The slot stays in use until the new state of the run is on disk. */
  async #expire(id: RunId): Promise<void> {
    const lease = this.#held.get(id);
    if (lease === undefined) return;
    const logger = this.#loggerOf(lease.run);
    const settled = await this.#parts.ends.untilRecorded(lease.run, () => this.#settle(lease), {
      signal: this.#term!,
      logger,
      log: 'ending a lease failed, retrying',
    });
    if (settled === null || settled.value === 'renewed' || settled.value === 'ended') return;
    logger.warn({ outcome: settled.value }, 'lease expired');
    // A heartbeat at the same moment may have renewed the lease of the attempt that ended.
    if (this.#held.get(id)?.run.attempt === lease.run.attempt) this.#letGo(lease.run);
    else this.#parts.events.emit('startable', lease.run.factory);
  }

  async #settle(lease: Lease): Promise<'renewed' | 'ended' | 'timeout' | 'interrupted' | 'queued_again'> {
    const { ends, clock, observer } = this.#parts;
    const { run } = lease;
    const { id, attempt } = run;
    if (this.#held.get(id) !== lease) return 'renewed';
    const isLate = clock.monotonicMs() >= lease.endsAt;
    const at = clock.wallMs();
    const error = isLate ? 'timeout' : 'interrupted';
    const result: RunResult = { state: 'failed', error, exitCode: null };
    const otherwise = isLate ? NO_RETRY : await this.#retryOf(run);
    const { end } = await ends.finish({ id, attempt, result, at, otherwise });
    // Its worker may have ended the run at the same moment, which is then counted already.
    if (end === null) return 'ended';
    observer.onEnded(run, result, at);
    return end.nextAttemptAt === null ? error : 'queued_again';
  }
}

async function maskResult(result: RunResult, mask: (text: string) => string): Promise<RunResult> {
  const error = result.error && mask(result.error);
  if (result.output == null) return { ...result, error };
  return { ...result, error, output: await maskTexts(result.output, async (text) => mask(text)) };
}

function hasEnded({ state }: Run): boolean {
  return state !== 'queued' && state !== 'running';
}
