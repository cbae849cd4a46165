import type { NewNotice, Notice, NoticeTarget, Report } from '../../domain/messages/notice.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { NoticeQueue } from '../../domain/ports/messages.ts';
import type { NotifyMetrics } from '../../domain/ports/metrics.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { Schedule } from '../../domain/time/schedule.ts';
import {
  type Attempted,
  Outbox,
  type OutboxStore,
  type SendOutcome,
  STORED_TERMS,
  type TargetFailure,
} from '../outbox.ts';
import { digestTarget, type NotifyTarget, nameTarget } from './notify-target.ts';
import { type PostRequest, postNotice } from './post-notice.ts';

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

/** The state of a notification after an attempt. */
const STATES = { sent: 'posted', postponed: 'waiting', given_up: 'given_up' } as const;

/** Reports commits to one target of one factory, one notification after another. */
export class TargetNotifier {
  readonly target: NotifyTarget;
  readonly #key: NoticeTarget;
  readonly #parts: TargetNotifierParts;
  readonly #outbox: Outbox<Notice>;

  constructor(factory: string, target: NotifyTarget, parts: TargetNotifierParts) {
    this.target = target;
    this.#key = { factory, target: digestTarget(target) };
    this.#parts = parts;
    const subject = nameSubject(target);
    this.#outbox = new Outbox<Notice>({
      store: createStore(this.#key, parts.queue),
      send: (notice, ending) => this.#send(notice, ending),
      onAttempted: (notice, outcome, problem) => this.#noteAttempted(notice, outcome, problem),
      target: { target: nameTarget(target), what: `the ${subject} could not be posted` },
      texts: {
        sent: `${subject} posted`,
        postponed: `posting a ${subject} failed, retrying`,
        given_up: `${subject} given up`,
        unreadable: 'reading or storing notifications failed, retrying',
        defect: 'composing a notification failed',
        fields: ({ revision, report }) => ({ revision, state: report.state }),
      },
      terms: STORED_TERMS,
      clock: parts.clock,
      schedule: parts.schedule,
      logger: parts.logger.child({ factory, target: nameTarget(target) }),
    });
  }

  /** `null` if the last attempt succeeded. */
  get failure(): TargetFailure | null {
    return this.#outbox.failure;
  }

  /** Continues the queue of an earlier daemon, until `term` aborts. A notification that it gave up last is retried. */
  start(term: AbortSignal): void {
    this.#outbox.start(term);
  }

  /** Returns whether it is queued: not if the same was queued before. */
  async put(notice: Omit<NewNotice, keyof NoticeTarget>): Promise<boolean> {
    const isNew = await this.#parts.queue.put({ ...notice, ...this.#key });
    if (isNew) this.#outbox.wake();
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

  /** As `Outbox.retryNow`. */
  retryNow(): void {
    this.#outbox.retryNow();
  }

  /** As `Outbox.stop`. */
  stop(hurry?: AbortSignal): Promise<void> {
    return this.#outbox.stop(hurry);
  }

  async #send(notice: Notice, ending: AbortSignal): Promise<SendOutcome | null> {
    const { post, userAgent, clock } = this.#parts;
    const secret = await this.#resolveSecret();
    if ('kind' in secret) return secret;
    const order = { target: this.target, notice, userAgent, secret: secret.value.reveal(), nowMs: clock.wallMs() };
    return postNotice(order, post, ending);
  }

  /** The latest value, or why there is none. A new value causes a retry. */
  async #resolveSecret(): Promise<{ value: SecretValue } | SendOutcome> {
    const { secretName } = this.target;
    try {
      const secret = await this.#parts.secrets.resolve(secretName, 'configuration');
      return secret.outcome === 'found'
        ? secret
        : postpone(`the team secret ${secretName} does not exist; create it: dockbell secret create ${secretName}`);
    } catch (error) {
      const fields = { factory: this.#key.factory, target: nameTarget(this.target), secretName };
      this.#parts.logger.error({ err: error, ...fields }, 'reading a secret failed');
      return postpone(`the team secret ${secretName} cannot be read; see the log of the daemon`);
    }
  }

  #noteAttempted(notice: Notice, outcome: Attempted, problem: string | null): void {
    const { metrics, onAttempted } = this.#parts;
    metrics.countNotice(this.#key.factory, this.target.type, outcome === 'sent' ? 'posted' : outcome);
    onAttempted({ ...notice, state: STATES[outcome], problem });
  }
}

function nameSubject({ requests, runs }: NotifyTarget): string {
  if (requests === 'comment') return 'comment on a pull request';
  return runs === undefined ? 'commit status' : 'run result';
}

function createStore(key: NoticeTarget, queue: NoticeQueue): OutboxStore<Notice> {
  return {
    next: async () => {
      const item = await queue.next(key);
      return item === null ? null : { item, dueAt: item.dueAt };
    },
    postpone: ({ id }, failure) => queue.postpone(id, failure),
    settle: ({ id }, end) => queue.settle(id, end),
    retryNow: (at) => queue.retryNow(key, at),
    lastFailure: async () => {
      const newest = await queue.newest(key);
      return newest === null || newest.problem === null
        ? null
        : { problem: newest.problem, since: newest.failingSince };
    },
  };
}

function postpone(problem: string): SendOutcome {
  return { kind: 'later', problem, waitMs: null, hostWide: true };
}
