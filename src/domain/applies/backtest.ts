import type { DeliveryId, WebhookUid } from '../ids.ts';

/** A stored delivery with another result after the change, and the key that causes the difference. */
export interface BacktestExample {
  delivery: DeliveryId;
  webhook: WebhookUid;
  receivedAt: number;
  /** Path of the key that prevents the match before or after the change; `null` if no filter decides. */
  path: string | null;
  message: string;
}

/** The effect of changed triggers of one automation on the stored deliveries. */
export interface AutomationBacktest {
  automation: string;
  /** Number of examined deliveries of the webhooks that start the automation before or after the change. */
  examined: number;
  /** Number of those that start the automation, with the applied and with the planned triggers. */
  before: number;
  after: number;
  /** The most recent deliveries that newly start the automation, or no longer start it; at most five of each. */
  gained: BacktestExample[];
  lost: BacktestExample[];
  /** Number of all such deliveries. */
  gainedCount: number;
  lostCount: number;
  /**
   * Number of the examined deliveries without a record of a header that a filter tests. They count as sent without it: a
   * header is recorded only since a filter tests it, or if the webhook records it.
   */
  unrecorded: number;
}

/** The result of evaluating changed triggers against stored deliveries. */
export interface Backtest {
  /** Start and end of the examined period, as wall time in milliseconds. */
  since: number;
  until: number;
  /** Number of accepted deliveries of the affected webhooks in that period. */
  stored: number;
  /**
   * Number of examined deliveries. If it is less than `stored`, the counts are from a sample that is spread evenly over
   * the period.
   */
  examined: number;
  automations: AutomationBacktest[];
}
