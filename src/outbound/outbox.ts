// The room of requests to URLs that the operator configured. docs/architecture/event-to-message.md follows a message.
// In: happenings and stored items. Out: requests (`send-post.ts`), which connect only to addresses that the operator allows
// (`guarded-connections.ts`), and failures for conditions. This is the one state machine of everything that is sent. Its
// users: `alerts/create-alerts.ts`, `notify/create-notifier.ts`, and the cancellations of
// `runs/executors/http/cancel-notifications.ts`. `connect/create-connector.ts` only answers requests of people.

import type { LogFields, Logger } from '../domain/ports/logger.ts';
import { type Backoff, backoffMs } from '../domain/time/backoff.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { Schedule } from '../domain/time/schedule.ts';
import { Loop } from '../platform/loop.ts';
import { MAX_WAIT_MS } from './retry-after.ts';

/** What is sent to one target. Instants are wall time in milliseconds. */
export interface OutboxItem {
  /** Number of failed attempts. */
  attempts: number;
  createdAt: number;
}

/** The queue of one target. */
export interface OutboxStore<Item extends OutboxItem> {
  /** The item that is due first; `null` if nothing waits. An `item` of `null`: there will be one at `dueAt`. */
  next(): Promise<{ dueAt: number; item: Item | null } | null>;
  /** The item waits until `dueAt`. */
  postpone(item: Item, failure: { problem: string; at: number; dueAt: number }): Promise<void>;
  /** The item was sent (`problem` is `null`) or is given up. */
  settle(item: Item, end: { problem: string | null; at: number }): Promise<void>;
  /** Makes what waits due now. */
  retryNow(at: number): Promise<void>;
  /** Why the last attempt of an earlier daemon failed; `null` if it did not. `since`: `null` if that is not known. */
  lastFailure(): Promise<{ problem: string; since: number | null } | null>;
}

/**
 * The outcome of an attempt. `later`: retry it, after `waitMs` if the receiver specifies a time; `hostWide` if other items
 * would fail as well. `final`: a retry cannot succeed. `problem` is one sentence without secrets.
 */
export type SendOutcome =
  | { kind: 'done' }
  | { kind: 'later'; problem: string; waitMs: number | null; hostWide: boolean }
  | { kind: 'final'; problem: string };

/** The result of an attempt for its item. */
export type Attempted = 'sent' | 'postponed' | 'given_up';

/** When an item is sent again, and when no more. */
interface OutboxTerms {
  backoff: Backoff;
  /** Attempts of one item. */
  maxAttempts: number;
  /** No attempt that fails after this time is followed by another one. */
  giveUpMs: number;
  /** A stop waits this long for a response, so that the next daemon does not send the same item again. */
  graceMs: number;
}

/** Items in the database survive a restart, and are of no use after a day. */
export const STORED_TERMS: OutboxTerms = {
  backoff: { firstMs: 5_000, maxMs: 15 * 60_000 },
  maxAttempts: Number.POSITIVE_INFINITY,
  giveUpMs: 24 * 3_600_000,
  graceMs: 3_000,
};

/** Pause after the storage failed. */
const STORAGE_BACKOFF: Backoff = { firstMs: 30_000, maxMs: 30_000 };

/** Why a target cannot be reached. */
export interface TargetFailure {
  /** Name of the target. */
  target: string;
  /** What failed, as the beginning of a sentence. */
  what: string;
  problem: string;
  /** Wall time in milliseconds. */
  since: number;
}

/** How the log names what is sent, with a constant phrase for each outcome. */
interface OutboxTexts<Item> extends Readonly<Record<Attempted, string>> {
  unreadable: string;
  /** `Item` cannot be composed: a defect. */
  defect: string;
  fields(item: Item): LogFields;
}

interface OutboxParts<Item extends OutboxItem> {
  store: OutboxStore<Item>;
  /** Sends an item once. Resolves with `null` if `ending` aborted it: then its outcome is not known. */
  send(item: Item, ending: AbortSignal): Promise<SendOutcome | null>;
  /** An attempt has ended, and this is stored now. */
  onAttempted(item: Item, outcome: Attempted, problem: string | null): void;
  /** Parts of its failures. */
  target: Pick<TargetFailure, 'target' | 'what'>;
  texts: OutboxTexts<Item>;
  terms: OutboxTerms;
  clock: Pick<Clock, 'wallMs'>;
  schedule?: Schedule;
  logger: Logger;
}

/**
 * Sends what waits for one target, one item after another. An item leaves its store when the receiver has it, so the receiver
 * gets it at least once. The start retries what an earlier daemon could not send.
 *
 * ```
 *              due, retryNow                  done
 *   waiting ─────────────────▶ being sent ────────────▶ sent
 *      ▲                         │   │ final, too old, too many attempts
 *      │  later: backoff, or the │   └────────────────▶ given up
 *      └─ wait of the receiver ──┘
 * ```
 *
 * A failure that is `hostWide` pauses all items of the target for the same time. An attempt that a stop aborts leaves its item
 * waiting, because its outcome is not known.
 */
export class Outbox<Item extends OutboxItem> {
  readonly #parts: OutboxParts<Item>;
  readonly #loop: Loop;
  #isOpened = false;
  #isRetryWanted = true;
  /** Wall time before which no attempt is made. */
  #pausedUntil = 0;
  #failure: TargetFailure | null = null;

  constructor(parts: OutboxParts<Item>) {
    this.#parts = parts;
    const { logger, terms, schedule, texts } = parts;
    this.#loop = new Loop({
      turn: (ending) => this.#takeTurn(ending),
      onFailure: (error) => logger.warn({ err: error }, texts.unreadable),
      backoff: STORAGE_BACKOFF,
      graceMs: terms.graceMs,
      schedule,
    });
  }

  /** `null` if the last attempt succeeded. */
  get failure(): TargetFailure | null {
    return this.#failure;
  }

  /**
   * Sends what waits, from now on. Does nothing if it sends already.
   *
   * @param term ends it, as `stop`: another daemon may send the items then. A later term retries what is left
   */
  start(term?: AbortSignal): void {
    if (this.#loop.isRunning) return;
    this.#isOpened = false;
    this.#isRetryWanted = true;
    this.#loop.start({ term });
  }

  /** Something new waits. */
  wake(): void {
    this.#loop.wake();
  }

  /** Sends what waits without the end of its pause, for example because a secret has a new value. */
  retryNow(): void {
    this.#isRetryWanted = true;
    this.wake();
  }

  /**
   * Waits a short time for the current attempt. What is not sent yet stays in the store.
   *
   * @param hurry ends the wait when it aborts
   */
  stop(hurry?: AbortSignal): Promise<void> {
    return this.#loop.stop(hurry);
  }

  async #takeTurn(ending: AbortSignal): Promise<number | null> {
    await this.#open();
    const next = await this.#parts.store.next();
    if (next === null) return null;
    const { item, dueAt } = next;
    const waitMs = untilDue(Math.max(dueAt, this.#pausedUntil), this.#parts.clock);
    if (waitMs > 0) return waitMs;
    if (item !== null) await this.#attempt(item, ending);
    return 0;
  }

  async #open(): Promise<void> {
    const { store, clock } = this.#parts;
    if (!this.#isOpened) {
      const last = await store.lastFailure();
      if (last !== null) this.#noteFailure(last.problem, last.since);
      this.#isOpened = true;
    }
    if (!this.#isRetryWanted) return;
    await store.retryNow(clock.wallMs());
    this.#isRetryWanted = false;
    this.#pausedUntil = 0;
  }

  async #attempt(item: Item, ending: AbortSignal): Promise<void> {
    const { store, send, clock } = this.#parts;
    const outcome = await send(item, ending).catch((error: unknown) => this.#noteDefect(error, item));
    // Its outcome is not known. The next daemon sends it again.
    if (outcome === null) return;
    const at = clock.wallMs();
    if (outcome.kind === 'done') {
      await store.settle(item, { problem: null, at });
      this.#failure = null;
      this.#pausedUntil = 0;
      this.#report(item, 'sent', null);
      return;
    }
    const { problem } = outcome;
    this.#noteFailure(problem, this.#failure?.since ?? at);
    if (outcome.kind === 'final' || this.#isHopeless(item, at)) {
      await store.settle(item, { problem, at });
      this.#report(item, 'given_up', problem);
      return;
    }
    const dueAt = at + this.#pauseAfter(item, outcome.waitMs);
    if (outcome.hostWide) this.#pausedUntil = dueAt;
    await store.postpone(item, { problem, at, dueAt });
    this.#report(item, 'postponed', problem);
  }

  #pauseAfter({ attempts }: Item, waitMs: number | null): number {
    return Math.max(waitMs ?? 0, backoffMs(this.#parts.terms.backoff, attempts + 1, Math.random()));
  }

  #isHopeless({ attempts, createdAt }: Item, at: number): boolean {
    const { maxAttempts, giveUpMs } = this.#parts.terms;
    return attempts + 1 >= maxAttempts || at - createdAt >= giveUpMs;
  }

  /** One item that cannot be composed must not keep the others waiting. */
  #noteDefect(error: unknown, item: Item): SendOutcome {
    const { logger, texts } = this.#parts;
    logger.error({ err: error, ...texts.fields(item) }, texts.defect);
    const problem = 'it cannot be composed; see the log of the daemon';
    return { kind: 'later', problem, waitMs: null, hostWide: false };
  }

  #noteFailure(problem: string, since: number | null): void {
    const { target, clock } = this.#parts;
    this.#failure = { ...target, problem, since: since ?? clock.wallMs() };
  }

  #report(item: Item, outcome: Attempted, problem: string | null): void {
    const { logger, texts, onAttempted } = this.#parts;
    onAttempted(item, outcome, problem);
    const fields = texts.fields(item);
    if (outcome === 'sent') logger.info(fields, texts.sent);
    else if (outcome === 'postponed') logger.warn({ ...fields, problem }, texts.postponed);
    else logger.error({ ...fields, problem }, texts.given_up);
  }
}

/** Milliseconds until an instant. A clock that was set back must not delay an attempt longer than a receiver could. */
export function untilDue(dueAt: number, clock: Pick<Clock, 'wallMs'>): number {
  const waitMs = dueAt - clock.wallMs();
  return waitMs > MAX_WAIT_MS ? 0 : Math.max(waitMs, 0);
}
