import type { Actor } from '../access/access.ts';
import type { AlertId, AlertMessageId, NoticeId, RunId, TokenId, WebhookUid } from '../ids.ts';
import type { Alert, AlertMessage, AlertNotice, AlertState } from '../messages/alert.ts';
import type { AlertRule } from '../messages/alert-rules.ts';
import type { NewNotice, Notice, NoticeTarget, Report } from '../messages/notice.ts';
import type { Page, PageRequest } from '../page.ts';

/** What one evaluation changes, written in one transaction. */
export interface AlertChanges {
  opened: Alert[];
  /** Alerts that exist, with their new values. Nobody else's acknowledgement is overwritten. */
  changed: Alert[];
  notices: AlertNotice[];
}

/** Filters of a list. */
export interface AlertRequest extends PageRequest {
  /** `active`: open or acknowledged; `null` for all. */
  state: AlertState | 'active' | null;
  rule: AlertRule | null;
  /** Only alerts of these factories, without those of the installation; `null` for all. */
  factories: readonly string[] | null;
}

/** The alerts. */
export interface AlertStore {
  /** All that are not resolved. */
  active(): Promise<Alert[]>;
  change(changes: AlertChanges): Promise<void>;
  /** The alert afterwards; `null`, and nothing changes, if it is not `open`. */
  acknowledge(id: AlertId, by: Actor, note: string | null, at: number): Promise<Alert | null>;
  get(id: AlertId): Promise<Alert | null>;
  /** Newest first. */
  list(request: AlertRequest): Promise<Page<Alert>>;
  /** Deletes some alerts that were resolved before a time, and messages of targets that have waited since then. */
  prune(before: number): Promise<void>;
}

/** The durable queue of messages to targets. */
export interface AlertMessages {
  /** When the next message to the target is to be composed; `null` if no notification waits. */
  nextDueAt(target: string): Promise<number | null>;
  /** Makes one message of the notifications that wait, oldest first. Does nothing if none waits. */
  compose(message: { id: AlertMessageId; target: string; at: number; limit: number }): Promise<void>;
  /** The oldest message that waits; `null` if none does. */
  next(target: string): Promise<AlertMessage | null>;
  postpone(id: AlertMessageId, failure: { problem: string; dueAt: number }): Promise<void>;
  /** The message was sent, or is given up. */
  remove(id: AlertMessageId): Promise<void>;
}

/** An enabled webhook with `expectEvery`. */
interface ExpectedWebhook {
  factory: string;
  name: string;
  uid: WebhookUid;
  expectEvery: string;
  /** `null` if none was ever accepted. */
  lastAcceptedAt: number | null;
  updatedAt: number;
}

/** An automation with failed runs among its last ones. */
export interface FailedAutomation {
  automation: string;
  failedInARow: number;
  /** Number of ended runs that are counted, and of those that failed. */
  recent: number;
  recentFailed: number;
}

/** An automation that the loop guard did not start. */
export interface GuardedAutomation {
  factory: string;
  automation: string;
  /** What the last of these deliveries was about, as `DeliveryOffer.subject`. */
  subject: string;
  /** Number of subjects, and of deliveries about them that did not start the automation since the guard last had a pause. */
  subjects: number;
  deliveries: number;
}

/** Requests of a row of the delivery log that were rejected, or exceeded the delivery rate. */
interface UnacceptedRequests {
  /** `AppliedWebhook.ref`. */
  webhook: number;
  kind: 'rejected' | 'limited';
  count: number;
  receivedAt: number;
}

/** What rules read. Each read uses an index, and returns a limited number of rows. */
export interface AlertReader {
  /** Those that accepted no delivery for the longest time first. */
  expectedWebhooks(limit: number): Promise<ExpectedWebhook[]>;
  /** Of all webhooks in this period, `from` included and `until` not, newest first. */
  unacceptedRequests(period: { from: number; until: number; limit: number }): Promise<UnacceptedRequests[]>;
  /** Those with most failures first. */
  failedAutomations(factory: string, limit: number): Promise<FailedAutomation[]>;
  /** Automations that the loop guard did not start since a time, those of the last deliveries first. */
  guardedAutomations(request: { sinceAt: number; limit: number }): Promise<GuardedAutomation[]>;
  /** Number of the runs of a factory that have failed since a time, at most `limit`. */
  deadLetters(request: { factory: string; sinceAt: number; limit: number }): Promise<number>;
  /** When the oldest run that waits only for a free slot was queued; `null` if none waits. */
  oldestWaiting(factory: string): Promise<{ run: RunId; at: number } | null>;
  /** Tokens that expire in this period, those that expire first. */
  expiringTokens(period: {
    from: number;
    until: number;
    limit: number;
  }): Promise<{ id: TokenId; name: string; expiresAt: number }[]>;
}

/** A target of the configuration, and why its last message could not be sent. */
export interface AlertTargetState {
  name: string;
  type: 'webhook' | 'slack' | 'email';
  failure: { problem: string; since: number } | null;
}

/** What the management API does with alerts. */
export interface AlertControl {
  /** Throws `conflict` if the alert is not open, `not_found` if it does not exist. */
  acknowledge(id: AlertId, by: Actor, note: string | null): Promise<Alert>;
  targets(): AlertTargetState[];
  /** Sends a test message. Resolves with what was wrong; `null` if the receiver took it. Throws `not_found`. */
  test(target: string): Promise<string | null>;
}

/** The durable queue of commit statuses. Each target has one status per commit: the most recent outcome. */
export interface NoticeQueue {
  /**
   * Queues a commit status that is due immediately. It replaces the earlier status of that target and commit. `false`,
   * and nothing changes, if the earlier status has the same outcome.
   */
  put(notice: NewNotice): Promise<boolean>;
  /** Records why the result of a run is not posted. Does nothing if the target has a report about this attempt. */
  skip(notice: NewNotice, problem: string): Promise<void>;
  /** The status of that target and commit, in any state; `null` if none was queued. */
  find(target: NoticeTarget, revision: string): Promise<Notice | null>;
  /** Replaces the report of a status whose outcome is the same, without posting it again. */
  renew(target: NoticeTarget, revision: string, report: Report): Promise<void>;
  /** The reports about the attempts of a run, oldest first. */
  ofRun(factory: string, run: RunId): Promise<Notice[]>;
  /** The waiting status that is due first; `null` if none waits. */
  next(target: NoticeTarget): Promise<Notice | null>;
  /** The status that was queued last, in any state but `skipped`. */
  newest(target: NoticeTarget): Promise<Notice | null>;
  /** Records a failed attempt; the status waits until `dueAt`. Does nothing if the status was replaced. */
  postpone(id: NoticeId, failure: { problem: string; at: number; dueAt: number }): Promise<void>;
  /** Records that the status was posted (`problem` is `null`) or given up. Does nothing if the status was replaced. */
  settle(id: NoticeId, end: { problem: string | null; at: number }): Promise<void>;
  /** Makes all waiting statuses due now, and the most recent status as well if it was given up. */
  retryNow(target: NoticeTarget, at: number): Promise<void>;
}
