import type { WebhookUid } from '../../ids.ts';

/** Requests are counted by periods of this length. A count since any other time is at most this much too large. */
export const UNLOGGED_PERIOD_MS = 10 * 60_000;

/** Requests to one webhook that were answered without an entry in the delivery log, for one reason. */
export interface NewUnlogged {
  /** `AppliedWebhook.ref`. */
  webhook: number;
  /** A code of `UNLOGGED_REASONS`. */
  reason: string;
  count: number;
  /** Wall time in milliseconds of the last one. */
  lastAt: number;
}

/** What was counted since a time. */
export interface UnloggedCount {
  webhook: WebhookUid;
  reason: string;
  count: number;
  lastAt: number;
}

/**
 * Counts of requests that were answered without an entry in the delivery log, by webhook and reason. They remain for
 * `MAX_ACTIVITY_MS`, also of deleted webhooks.
 */
export interface UnloggedCounts {
  /** Adds to the counts in one transaction. Ignores webhooks that no longer exist. */
  add(unlogged: readonly NewUnlogged[]): Promise<void>;
  /** Counts since a wall time in milliseconds, of one webhook or of all webhooks of a factory. Reasons without requests are omitted. */
  list(of: ({ webhookUid: WebhookUid } | { factory: string }) & { sinceAt: number }): Promise<UnloggedCount[]>;
}
