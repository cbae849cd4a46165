import { messageOf } from '../../../domain/errors.ts';
import type { Run } from '../../../domain/resources/run.ts';
import { backoffMs, pause } from '../../../domain/time/backoff.ts';
import { describeNetworkFailure } from '../../../outbound/network-failure.ts';
import { sendPost } from '../../../outbound/send-post.ts';
import { composeCancellation, composeHeaders, nameCancellation } from './compose-request.ts';
import type { Receiver } from './receiver.ts';
import { findSigningSecret } from './signing-secret.ts';

/** A notification is sent at most this number of times. */
const MAX_SENDS = 5;
const TIMEOUT_MS = 10_000;
/** Notifications that are sent at the same time. The receivers of further runs get 409 for their next report. */
const MAX_PENDING = 100;
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** Why a notification was not taken, as one sentence without credentials. */
interface Failure {
  problem: string;
  isPassing: boolean;
}

/**
 * Posts to the receiver that attempts which it may have accepted were cancelled. The runs have ended already. A notification that is
 * not taken, or that the end of the daemon interrupts, is lost: then the receiver gets 409 for its next report.
 */
export class CancelNotifications {
  readonly #receiver: Receiver;
  #pending = 0;

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  /** Returns immediately and never throws. */
  send(run: Run): void {
    this.#pending += 1;
    const sent =
      this.#pending > MAX_PENDING
        ? Promise.reject(new Error(`${MAX_PENDING} other notifications are being sent`))
        : this.#sendRepeatedly(run);
    void sent
      .catch((error: unknown) => this.#logLoss(run, messageOf(error)))
      .finally(() => {
        this.#pending -= 1;
      });
  }

  async #sendRepeatedly(run: Run): Promise<void> {
    const { parts, timing } = this.#receiver;
    for (let sends = 1; ; sends++) {
      const failure = await this.#sendOnce(run);
      if (failure === null) return;
      if (!failure.isPassing || sends === MAX_SENDS) return this.#logLoss(run, failure.problem);
      parts.logger.info(
        { run: run.id, attempt: run.attempt, ...failure },
        'cancellation notification failed, retrying',
      );
      await pause(backoffMs(timing.backoff, sends, Math.random()), NEVER);
    }
  }

  /** `null` if the receiver has taken the notification. Throws if the secret cannot be read, or cannot sign. */
  async #sendOnce(run: Run): Promise<Failure | null> {
    const { settings, parts, userAgent, connections } = this.#receiver;
    const found = await findSigningSecret(settings.secretName, parts.factory, parts.secrets);
    if (!found.ok) return { problem: found.problem, isPassing: false };
    const [id, nowMs] = [nameCancellation(run), parts.clock.wallMs()];
    const body = composeCancellation(run, nowMs);
    const { url } = settings;
    const signature = parts.signWebhook(found.secret.reveal().trim(), { id, url, body, nowMs });
    const headers = { ...composeHeaders(run, userAgent, id), ...signature };
    try {
      const response = await sendPost({ url, body, headers }, { signal: AbortSignal.timeout(TIMEOUT_MS), connections });
      for await (const _ of response.body) break;
      return describeStatus(response.status);
    } catch (error) {
      return { problem: `the receiver cannot be reached: ${describeNetworkFailure(error)}`, isPassing: true };
    }
  }

  #logLoss({ id, attempt }: Run, problem: string): void {
    this.#receiver.parts.logger.warn({ run: id, attempt, problem }, 'cancellation notification lost');
  }
}

/** Nothing ends a pause: it does not keep the process alive. */
const NEVER = new AbortController().signal;

function describeStatus(status: number): Failure | null {
  if (status >= 200 && status < 300) return null;
  return { problem: `the receiver responded with ${status}`, isPassing: status >= 500 || PASSING.has(status) };
}
