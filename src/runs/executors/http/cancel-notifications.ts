import { messageOf } from '../../../domain/errors.ts';
import type { Run } from '../../../domain/resources/run.ts';
import { describeNetworkFailure } from '../../../outbound/network-failure.ts';
import { Outbox, type OutboxItem, type OutboxStore, type SendOutcome } from '../../../outbound/outbox.ts';
import { readRetryAfter } from '../../../outbound/retry-after.ts';
import { type OutboundRequest, sendPost } from '../../../outbound/send-post.ts';
import { composeCancellation, composeHeaders, nameCancellation } from './compose-request.ts';
import type { Receiver } from './receiver.ts';
import { findSigningSecret } from './signing-secret.ts';

/** A notification is sent at most this number of times. */
const MAX_SENDS = 5;
const TIMEOUT_MS = 10_000;
/** Notifications that wait. The receivers of further runs get 409 for their next report. */
const MAX_PENDING = 100;
const LOST = 'cancellation notification lost';
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** A cancelled attempt that the receiver does not know of. */
interface Cancellation extends OutboxItem {
  run: Run;
  dueAt: number;
}

/**
 * Posts to the receiver that attempts which it may have accepted were cancelled. The runs have ended already. A notification that is
 * not taken, or that the end of the daemon interrupts, is lost: then the receiver gets 409 for its next report.
 */
export class CancelNotifications {
  readonly #receiver: Receiver;
  readonly #waiting = new Set<Cancellation>();
  readonly #outbox: Outbox<Cancellation>;

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
    const { timing, parts, settings } = receiver;
    this.#outbox = new Outbox<Cancellation>({
      store: createStore(this.#waiting),
      send: ({ run }) => this.#send(run),
      onAttempted: () => {},
      // The rest of the URL may contain a credential.
      target: { target: new URL(settings.url).host, what: 'the cancellation notification could not be posted' },
      texts: {
        sent: 'cancellation notification sent',
        postponed: 'cancellation notification failed, retrying',
        given_up: LOST,
        unreadable: 'cancellation notifications failed, retrying',
        defect: 'composing a cancellation notification failed',
        fields: ({ run: { id, attempt } }) => ({ run: id, attempt }),
      },
      terms: { backoff: timing.backoff, maxAttempts: MAX_SENDS, giveUpMs: Number.POSITIVE_INFINITY, graceMs: 0 },
      clock: parts.clock,
      logger: parts.logger,
    });
    this.#outbox.start();
  }

  /** Returns immediately and never throws. */
  send(run: Run): void {
    const { clock, logger } = this.#receiver.parts;
    if (this.#waiting.size >= MAX_PENDING) {
      const problem = `${MAX_PENDING} other notifications are being sent`;
      logger.error({ run: run.id, attempt: run.attempt, problem }, LOST);
      return;
    }
    this.#waiting.add({ run, attempts: 0, createdAt: clock.wallMs(), dueAt: 0 });
    this.#outbox.wake();
  }

  async #send(run: Run): Promise<SendOutcome> {
    const { connections, parts } = this.#receiver;
    const composed = await this.#compose(run).catch((error: unknown) => ({ problem: messageOf(error) }));
    if ('problem' in composed) return { kind: 'final', problem: composed.problem };
    try {
      const response = await sendPost(composed, { signal: AbortSignal.timeout(TIMEOUT_MS), connections });
      for await (const _ of response.body) break;
      return describeStatus(response.status, readRetryAfter(response.headers['retry-after'], parts.clock.wallMs()));
    } catch (error) {
      return postpone(`the receiver cannot be reached: ${describeNetworkFailure(error)}`);
    }
  }

  /** Throws if the secret cannot be read, or cannot sign. */
  async #compose(run: Run): Promise<OutboundRequest> {
    const { settings, parts, userAgent } = this.#receiver;
    const found = await findSigningSecret(settings.secretName, parts.factory, parts.secrets);
    if (!found.ok) throw new Error(found.problem);
    const [id, nowMs] = [nameCancellation(run), parts.clock.wallMs()];
    const body = composeCancellation(run, nowMs);
    const { url } = settings;
    const signature = parts.signWebhook(found.secret.reveal().trim(), { id, url, body, nowMs });
    return { url, body, headers: { ...composeHeaders(run, userAgent, id), ...signature } };
  }
}

function describeStatus(status: number, waitMs: number | null): SendOutcome {
  if (status >= 200 && status < 300) return { kind: 'done' };
  const problem = `the receiver responded with ${status}`;
  return status >= 500 || PASSING.has(status) ? postpone(problem, waitMs) : { kind: 'final', problem };
}

/** The other notifications would fail as well. */
function postpone(problem: string, waitMs: number | null = null): SendOutcome {
  return { kind: 'later', problem, waitMs, hostWide: true };
}

/** Notifications in memory. */
function createStore(waiting: Set<Cancellation>): OutboxStore<Cancellation> {
  return {
    next: async () => {
      const [item] = [...waiting].sort((a, b) => a.dueAt - b.dueAt);
      return item === undefined ? null : { item, dueAt: item.dueAt };
    },
    postpone: async (item, { dueAt }) => {
      item.attempts += 1;
      item.dueAt = dueAt;
    },
    settle: async (item) => void waiting.delete(item),
    retryNow: async () => undefined,
    lastFailure: async () => null,
  };
}
