import type { IdSource } from '../../../domain/ids.ts';
import type { AlertMessage } from '../../../domain/messages/alert.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { AlertMessages } from '../../../domain/ports/messages.ts';
import type { AlertMessageOutcome } from '../../../domain/ports/metrics.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import type { Schedule } from '../../../domain/time/schedule.ts';
import { Outbox, type OutboxStore, STORED_TERMS, type TargetFailure, untilDue } from '../../outbox.ts';
import type { AlertTarget } from '../alert-target.ts';
import { type SendParts, sendMessage } from './send-message.ts';

/** Alerts in one message. */
const MAX_ITEMS = 100;
const NEVER = new AbortController().signal;

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

/** Sends messages to one target. While one cannot be sent, later alerts wait and become one message. */
export class TargetSender {
  readonly target: AlertTarget;
  readonly #parts: TargetSenderParts;
  readonly #outbox: Outbox<AlertMessage>;

  constructor(target: AlertTarget, parts: TargetSenderParts) {
    this.target = target;
    this.#parts = parts;
    const { clock, schedule, logger, countMessage } = parts;
    this.#outbox = new Outbox<AlertMessage>({
      store: createStore(target.name, parts),
      send: (message, ending) => this.#send(message, ending),
      onAttempted: (_message, outcome) => countMessage(target.name, outcome),
      target: { target: target.name, what: 'messages about alerts cannot be sent' },
      texts: {
        sent: 'alert message sent',
        postponed: 'sending an alert message failed, retrying',
        given_up: 'alert message given up',
        unreadable: 'reading or storing alert messages failed, retrying',
        defect: 'composing an alert message failed',
        fields: ({ id, items }) => ({ message: id, alerts: items.length }),
      },
      terms: STORED_TERMS,
      clock,
      schedule,
      logger: logger.child({ target: target.name }),
    });
  }

  /** `null` if the last message was sent. */
  get failure(): TargetFailure | null {
    return this.#outbox.failure;
  }

  start(term: AbortSignal): void {
    this.#outbox.start(term);
  }

  wake(): void {
    this.#outbox.wake();
  }

  retryNow(): void {
    this.#outbox.retryNow();
  }

  /** Sends a test message immediately, once. Resolves with what was wrong; `null` if the receiver took it. */
  async test(): Promise<string | null> {
    const { ids, clock } = this.#parts;
    const at = clock.wallMs();
    const sent = await this.#send({ id: ids.alertMessageId(at), items: [], createdAt: at }, NEVER);
    return sent === null || sent.kind === 'done' ? null : sent.problem;
  }

  /** As `Outbox.stop`. */
  stop(hurry?: AbortSignal): Promise<void> {
    return this.#outbox.stop(hurry);
  }

  #send({ id, items, createdAt }: Pick<AlertMessage, 'id' | 'items' | 'createdAt'>, ending: AbortSignal) {
    const { secrets, userAgent, clock, dashboardUrl } = this.#parts;
    const content = { id, items, createdAt, dashboardUrl: dashboardUrl() };
    return sendMessage(this.target, content, { secrets, userAgent, nowMs: () => clock.wallMs() }, ending);
  }
}

/** The messages of one target. Notifications that wait become a message when they are due, unless an earlier one waits. */
function createStore(
  target: string,
  { messages, ids, clock }: Pick<TargetSenderParts, 'messages' | 'ids' | 'clock'>,
): OutboxStore<AlertMessage> {
  let isRetried = false;
  const find = async () => {
    const item = await messages.next(target);
    return item === null ? null : { item, dueAt: isRetried ? 0 : item.dueAt };
  };
  return {
    next: async () => {
      const found = await find();
      if (found !== null) return found;
      const dueAt = await messages.nextDueAt(target);
      if (dueAt === null) return null;
      if (untilDue(dueAt, clock) > 0) return { item: null, dueAt };
      const at = clock.wallMs();
      await messages.compose({ id: ids.alertMessageId(at), target, at, limit: MAX_ITEMS });
      return find();
    },
    postpone: async ({ id }, { problem, dueAt }) => {
      isRetried = false;
      await messages.postpone(id, { problem, dueAt });
    },
    settle: async ({ id }) => {
      isRetried = false;
      await messages.remove(id);
    },
    retryNow: async () => {
      isRetried = true;
    },
    lastFailure: async () => {
      const message = await messages.next(target);
      return message === null || message.problem === null
        ? null
        : { problem: message.problem, since: message.createdAt };
    },
  };
}
