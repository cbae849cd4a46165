import type { DeliveryId, WebhookUid } from './ids.ts';

/** A stored delivery that would be treated otherwise, and the key that makes the difference. */
export interface BacktestExample {
  delivery: DeliveryId;
  webhook: WebhookUid;
  receivedAt: number;
  /** Path of the key that keeps it from matching on one side; `null` where no filter is there to decide. */
  path: string | null;
  message: string;
}

/** What a changed trigger makes of the stored deliveries. */
export interface AutomationBacktest {
  automation: string;
  /** Deliveries examined of the webhooks that start it before or after. */
  examined: number;
  /** How many of those would have started it, as applied and as planned. */
  before: number;
  after: number;
  /** The newest that would start it now and did not, or do not start it any more; five at most. */
  gained: BacktestExample[];
  lost: BacktestExample[];
  /** How many of each kind there are. */
  gainedCount: number;
  lostCount: number;
}

/** The changed triggers, put before what is stored. */
export interface Backtest {
  /** Wall times in milliseconds that the stored deliveries lie between. */
  since: number;
  until: number;
  /** Accepted deliveries of the webhooks concerned in that time. */
  stored: number;
  /** Those that were looked at: fewer than `stored` make the counts those of a sample, spread evenly over the time. */
  examined: number;
  automations: AutomationBacktest[];
}
