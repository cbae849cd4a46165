import type { RunId, TokenId, WebhookUid } from '../../ids.ts';

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
