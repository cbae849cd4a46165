import type { AlertMessage } from '../../../domain/alerts/alert.ts';
import { messageOf } from '../../../domain/errors.ts';
import type { IdSource } from '../../../domain/ids.ts';
import type { AlertMessages } from '../../../domain/ports/alerts/alert-store.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { AlertMessageOutcome } from '../../../domain/ports/metrics.ts';
import { type Backoff, backoffMs } from '../../../domain/time/backoff.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import type { CancelCall, Schedule } from '../../../domain/time/schedule.ts';
import { MAX_WAIT_MS } from '../../retry-after.ts';
import type { AlertTarget } from '../alert-target.ts';
import { type SendParts, type SendProblem, sendMessage } from './send-message.ts';

const RETRY_BACKOFF: Backoff = { firstMs: 5_000, maxMs: 15 * 60_000 };
const GIVE_UP_MS = 24 * 3_600_000;
/** A stop waits this long for a response, so that the next daemon does not send the same message again. */
const STOP_GRACE_MS = 3_000;
const STORAGE_RETRY_MS = 30_000;
/** Alerts in one message. */
const MAX_ITEMS = 100;

export interface TargetSenderParts extends Omit<SendParts, 'nowMs'> {
  messages: AlertMessages;
  ids: Pick<IdSource, 'alertMessageId'>;
  /** URL of the dashboard; `null` if it is not configured. */
  dashboardUrl(): string | null;
  countMessage(target: string, outcome: AlertMessageOutcome): void;
  clock: Clock;
  schedule: Schedule;
  logger: Logger;
}

/** Why messages to a target cannot be sent, and since when (wall time). */
export interface TargetFailure {
  target: string;
  problem: string;
  since: number;
}

/**
 * Sends messages to one target, one after another. A message is stored before it is sent and removed when the receiver took
 * it: the receiver gets it at least once. While one cannot be sent, later alerts wait and become one message.
 */
export class TargetSender {
  readonly target: AlertTarget;
  readonly #parts: TargetSenderParts;
  readonly #abort = new AbortController();
  #isStopping = false;
  #working: Promise<void> | null = null;
  #isWanted = false;
  #retryNow = false;
  #cancelTimer: CancelCall = () => {};
  #failure: TargetFailure | null = null;

  constructor(target: AlertTarget, parts: TargetSenderParts) {
    this.target = target;
    this.#parts = parts;
  }

  /** `null` if the last message was sent. */
  get failure(): TargetFailure | null {
    return this.#failure;
  }

  /** Continues with what waits. @param retryNow without waiting for the end of a pause after a failure */
  wake(retryNow = false): void {
    if (this.#isStopping) return;
    this.#isWanted = true;
    this.#retryNow ||= retryNow;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
      if (this.#isWanted) this.wake();
    });
  }

  /** Sends a test message immediately, once. Resolves with what was wrong; `null` if the receiver took it. */
  async test(): Promise<string | null> {
    const { ids, clock } = this.#parts;
    const at = clock.wallMs();
    const sent = await this.#send({ id: ids.alertMessageId(at), items: [], createdAt: at });
    return sent?.problem ?? null;
  }

  /**
   * Waits a short time for the current attempt; what is not sent yet stays stored.
   *
   * @param hurry ends the wait when it aborts
   */
  async stop(hurry: AbortSignal): Promise<void> {
    this.#isStopping = true;
    this.#cancelTimer();
    const abort = () => this.#abort.abort();
    const cancelAbort = this.#parts.schedule(STOP_GRACE_MS, abort);
    if (hurry.aborted) abort();
    hurry.addEventListener('abort', abort);
    await this.#working;
    hurry.removeEventListener('abort', abort);
    cancelAbort();
  }

  async #work(): Promise<void> {
    this.#isWanted = false;
    this.#cancelTimer();
    try {
      while (!this.#isStopping) {
        const waitMs = await this.#step();
        if (waitMs === 'idle') return;
        if (waitMs > 0) return this.#wakeIn(waitMs);
      }
    } catch (error) {
      const fields = { target: this.target.name, problem: messageOf(error) };
      this.#parts.logger.warn(fields, 'reading or storing alert messages failed, retrying');
      this.#wakeIn(STORAGE_RETRY_MS);
    }
  }

  /** Sends or composes one message. Returns how long to wait before the next step. */
  async #step(): Promise<number | 'idle'> {
    const { messages, ids, clock } = this.#parts;
    const { name } = this.target;
    const message = await messages.next(name);
    if (message !== null) {
      const waitMs = this.#retryNow ? 0 : this.#waitFor(message.dueAt);
      if (waitMs > 0) return waitMs;
      this.#retryNow = false;
      await this.#deliver(message);
      return 0;
    }
    this.#retryNow = false;
    const dueAt = await messages.nextDueAt(name);
    if (dueAt === null) return 'idle';
    const waitMs = this.#waitFor(dueAt);
    if (waitMs > 0) return waitMs;
    const at = clock.wallMs();
    await messages.compose({ id: ids.alertMessageId(at), target: name, at, limit: MAX_ITEMS });
    return 0;
  }

  /** A clock that was set back must not delay a message. */
  #waitFor(dueAt: number): number {
    const waitMs = dueAt - this.#parts.clock.wallMs();
    return waitMs > MAX_WAIT_MS ? 0 : waitMs;
  }

  async #deliver(message: AlertMessage): Promise<void> {
    const { messages, clock, countMessage, logger } = this.#parts;
    const { name } = this.target;
    const sent = await this.#send(message);
    const at = clock.wallMs();
    const fields = { target: name, message: message.id, alerts: message.items.length };
    if (sent === null) {
      await messages.remove(message.id);
      this.#failure = null;
      countMessage(name, 'sent');
      logger.info(fields, 'alert message sent');
      return;
    }
    // Its outcome is not known. The next daemon sends it again.
    if (this.#abort.signal.aborted) return;
    const { problem } = sent;
    this.#failure = { target: name, problem, since: this.#failure?.since ?? at };
    if (at - message.createdAt >= GIVE_UP_MS) {
      await messages.remove(message.id);
      countMessage(name, 'given_up');
      logger.error({ ...fields, problem }, 'alert message given up');
      return;
    }
    const dueAt = at + Math.max(sent.waitMs ?? 0, backoffMs(RETRY_BACKOFF, message.attempts + 1));
    await messages.postpone(message.id, { problem, dueAt });
    countMessage(name, 'postponed');
    logger.warn({ ...fields, problem }, 'sending an alert message failed, retrying');
  }

  #send({ id, items, createdAt }: Pick<AlertMessage, 'id' | 'items' | 'createdAt'>): Promise<SendProblem> {
    const { secrets, userAgent, clock, dashboardUrl } = this.#parts;
    const content = { id, items, createdAt, dashboardUrl: dashboardUrl() };
    return sendMessage(this.target, content, { secrets, userAgent, nowMs: () => clock.wallMs() }, this.#abort.signal);
  }

  #wakeIn(delayMs: number): void {
    if (this.#isStopping) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#parts.schedule(delayMs, () => this.wake());
  }
}
