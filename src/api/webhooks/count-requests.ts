import type { WebhookUid } from '../../core/ids.ts';
import { type ActivityReader, HOUR_MS } from '../../core/ports/deliveries/activity-reader.ts';
import type { DeliveryLabel } from '../../core/resources/delivery.ts';
import type { Clock } from '../../core/time/clock.ts';

const HOURS = 24;

/** Number of requests to a webhook in the last 24 hours. */
export interface RequestCounts {
  accepted: number;
  duplicate: number;
  rejected: number;
}

/** The counts of the webhooks of a factory. Webhooks without requests are omitted. */
export type CountRequests = (factory: string) => Promise<ReadonlyMap<WebhookUid, RequestCounts>>;

/** Counts are stored by the hour, so the period is the current hour and the 23 before it. */
export function createRequestCounter(activity: Pick<ActivityReader, 'deliveries'>, clock: Clock): CountRequests {
  return async (factory) => {
    const untilAt = (Math.floor(clock.wallMs() / HOUR_MS) + 1) * HOUR_MS;
    const counted = await activity.deliveries({ factory, fromAt: untilAt - HOURS * HOUR_MS, untilAt });
    const byWebhook = new Map<WebhookUid, RequestCounts>();
    for (const { webhook, label, count } of counted) {
      const counts = byWebhook.get(webhook) ?? { accepted: 0, duplicate: 0, rejected: 0 };
      counts[kindOf(label)] += count;
      byWebhook.set(webhook, counts);
    }
    return byWebhook;
  };
}

function kindOf(label: DeliveryLabel): keyof RequestCounts {
  if (label === 'Accepted') return 'accepted';
  return label === 'Duplicate' ? 'duplicate' : 'rejected';
}
