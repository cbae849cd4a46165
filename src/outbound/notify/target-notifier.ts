import type { NewNotice, Notice, NoticeTarget, Report } from '../../domain/notice.ts';
import type { NoticeQueue } from '../../domain/ports/definitions/notice-queue.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { NOTICE_OUTCOMES, NotifyMetrics } from '../../domain/ports/metrics.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { SecretValue } from '../../domain/secret-value.ts';
import { type Backoff, backoffMs } from '../../domain/time/backoff.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { CancelCall, Schedule } from '../../domain/time/schedule.ts';
import { MAX_WAIT_MS } from '../retry-after.ts';
import type { PostOutcome } from './classify-response.ts';
import { digestTarget, type NotifyTarget, nameTarget } from './notify-target.ts';
import { type PostRequest, postNotice } from './post-notice.ts';

const RETRY_BACKOFF: Backoff = { firstMs: 5_000, maxMs: 15 * 60_000 };
/** A status that could not be reported for this time is no longer relevant. */
const GIVE_UP_MS = 24 * 3_600_000;
/** A stop waits this long for a response, so that the next daemon does not report the same status again. */
const STOP_GRACE_MS = 3_000;
/** Pause after the storage failed. */
const STORAGE_RETRY_MS = 30_000;

export interface TargetNotifierParts {
  queue: NoticeQueue;
  secrets: Pick<SecretStore, 'resolve'>;
  post: PostRequest;
  /** An attempt has ended, and this is stored now. */
  onAttempted(notice: Notice): void;
  userAgent: string;
  metrics: NotifyMetrics;
  schedule: Schedule;
  clock: Clock;
  logger: Logger;
}

/** Why a target cannot be reached, and since when. */
export interface NotifyFailure {
  /** Type and repository of the target. */
  target: string;
  /** What failed, as the beginning of a sentence. */
  what: string;
  problem: string;
  /** Wall time in milliseconds. */
  since: number;
}

/** Reports commits to one target of one factory, one notification after another. */
export class TargetNotifier {
  readonly target: NotifyTarget;
  readonly #key: NoticeTarget;
  readonly #parts: TargetNotifierParts;
  readonly #abort = new AbortController();
  #isStopping = false;
  #working: Promise<void> | null = null;
  #isWanted = false;
  #cancelTimer: CancelCall | null = null;
  /** No attempt before this time: the host asked for a pause, or cannot be reached. */
  #pausedUntil = 0;
  #failure: NotifyFailure | null = null;

  constructor(factory: string, target: NotifyTarget, parts: TargetNotifierParts) {
    this.target = target;
    this.#key = { factory, target: digestTarget(target) };
    this.#parts = parts;
  }

  /** `null` if the last attempt succeeded. */
  get failure(): NotifyFailure | null {
    return this.#failure;
  }

  /** Continues the queue of an earlier daemon. A notification that it gave up last is retried. */
  async start(): Promise<void> {
    const newest = await this.#parts.queue.newest(this.#key);
    if (newest !== null && newest.problem !== null) this.#noteFailure(newest.problem, newest.failingSince);
    await this.retryNow();
  }

  /** Returns whether it is queued: not if the same was queued before. */
  async put(notice: Omit<NewNotice, keyof NoticeTarget>): Promise<boolean> {
    const isNew = await this.#parts.queue.put({ ...notice, ...this.#key });
    if (isNew) this.#wake();
    return isNew;
  }

  /** What was queued last about a revision. */
  find(revision: string): Promise<Notice | null> {
    return this.#parts.queue.find(this.#key, revision);
  }

  /** As `NoticeQueue.renew`. */
  renew(revision: string, report: Report): Promise<void> {
    return this.#parts.queue.renew(this.#key, revision, report);
  }

  /** Records why the result of a run is not posted to this target. */
  skip(notice: Omit<NewNotice, keyof NoticeTarget>, problem: string): Promise<void> {
    return this.#parts.queue.skip({ ...notice, ...this.#key }, problem);
  }

  /** Retries what waits immediately. */
  async retryNow(): Promise<void> {
    await this.#parts.queue.retryNow(this.#key, this.#parts.clock.wallMs());
    this.#pausedUntil = 0;
    this.#wake();
  }

  /**
   * Waits a short time for the current attempt; what is not reported yet stays in the queue.
   *
   * @param hurry ends the wait when it aborts
   */
  async stop(hurry: AbortSignal): Promise<void> {
    this.#isStopping = true;
    this.#cancelTimer?.();
    const abort = () => this.#abort.abort();
    const cancelAbort = this.#parts.schedule(STOP_GRACE_MS, abort);
    if (hurry.aborted) abort();
    hurry.addEventListener('abort', abort);
    await this.#working;
    hurry.removeEventListener('abort', abort);
    cancelAbort();
  }

  #wake(): void {
    if (this.#isStopping) return;
    this.#isWanted = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
      if (this.#isWanted) this.#wake();
    });
  }

  async #work(): Promise<void> {
    this.#isWanted = false;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    try {
      while (!this.#isStopping) {
        const notice = await this.#parts.queue.next(this.#key);
        if (notice === null) return;
        const waitMs = this.#waitFor(notice);
        if (waitMs > 0) return this.#wakeIn(waitMs);
        await this.#report(notice);
      }
    } catch (error) {
      this.#parts.logger.warn({ err: error, ...this.#fields() }, 'reading or storing notifications failed, retrying');
      this.#wakeIn(STORAGE_RETRY_MS);
    }
  }

  /** A clock that was set back must not delay an attempt longer than a host could. */
  #waitFor({ dueAt }: Notice): number {
    const waitMs = Math.max(dueAt, this.#pausedUntil) - this.#parts.clock.wallMs();
    return waitMs > MAX_WAIT_MS ? 0 : waitMs;
  }

  #wakeIn(delayMs: number): void {
    if (this.#isStopping) return;
    this.#cancelTimer = this.#parts.schedule(delayMs, () => this.#wake());
  }

  async #report(notice: Notice): Promise<void> {
    const { post, userAgent, clock } = this.#parts;
    const { target } = this;
    const secret = await this.#resolveSecret();
    if ('kind' in secret) return this.#record(notice, secret);
    const order = { target, notice, userAgent, secret: secret.value.reveal(), nowMs: clock.wallMs() };
    const outcome = await postNotice(order, post, this.#abort.signal).catch((error) => this.#noteDefect(error, notice));
    if (outcome !== null) await this.#record(notice, outcome);
  }

  /** One notification that cannot be composed must not keep the others waiting. */
  #noteDefect(error: unknown, { revision }: Notice): PostOutcome {
    this.#parts.logger.error({ err: error, ...this.#fields(), revision }, 'composing a notification failed');
    return {
      kind: 'later',
      problem: 'it cannot be composed; see the log of the daemon',
      waitMs: null,
      hostWide: false,
    };
  }

  /** The latest value, or why there is none. A new value causes a retry. */
  async #resolveSecret(): Promise<{ value: SecretValue } | PostOutcome> {
    const { secretName } = this.target;
    try {
      const secret = await this.#parts.secrets.resolve(secretName, 'configuration');
      return secret.outcome === 'found'
        ? secret
        : postpone(`the team secret ${secretName} does not exist; create it: dockbell secret create ${secretName}`);
    } catch (error) {
      this.#parts.logger.error({ err: error, ...this.#fields(), secretName }, 'reading a secret failed');
      return postpone(`the team secret ${secretName} cannot be read; see the log of the daemon`);
    }
  }

  async #record(notice: Notice, outcome: PostOutcome): Promise<void> {
    const { queue, clock, logger, onAttempted } = this.#parts;
    const { id, revision, report, attempts, createdAt } = notice;
    const at = clock.wallMs();
    const fields = { ...this.#fields(), revision, state: report.state };
    if (outcome.kind === 'done') {
      await queue.settle(id, { problem: null, at });
      this.#failure = null;
      this.#pausedUntil = 0;
      this.#count('posted');
      onAttempted({ ...notice, state: 'posted', problem: null });
      logger.info(fields, `${this.#subject()} posted`);
      return;
    }
    const { problem } = outcome;
    this.#noteFailure(problem, this.#failure?.since ?? at);
    if (outcome.kind === 'later' && at - createdAt < GIVE_UP_MS) {
      const dueAt = at + Math.max(outcome.waitMs ?? 0, backoffMs(RETRY_BACKOFF, attempts + 1));
      if (outcome.hostWide) this.#pausedUntil = dueAt;
      await queue.postpone(id, { problem, at, dueAt });
      this.#count('postponed');
      onAttempted({ ...notice, state: 'waiting', problem });
      logger.warn({ ...fields, problem }, `posting a ${this.#subject()} failed, retrying`);
      return;
    }
    await queue.settle(id, { problem, at });
    this.#count('given_up');
    onAttempted({ ...notice, state: 'given_up', problem });
    logger.error({ ...fields, problem }, `${this.#subject()} given up`);
  }

  #subject(): string {
    if (this.target.requests === 'comment') return 'comment on a pull request';
    return this.target.runs === undefined ? 'commit status' : 'run result';
  }

  #count(outcome: (typeof NOTICE_OUTCOMES)[number]): void {
    this.#parts.metrics.countNotice(this.#key.factory, this.target.type, outcome);
  }

  #noteFailure(problem: string, since: number | null): void {
    const what = `the ${this.#subject()} could not be posted`;
    this.#failure = { target: nameTarget(this.target), what, problem, since: since ?? this.#parts.clock.wallMs() };
  }

  #fields() {
    return { factory: this.#key.factory, target: nameTarget(this.target) };
  }
}

function postpone(problem: string): PostOutcome {
  return { kind: 'later', problem, waitMs: null, hostWide: true };
}
