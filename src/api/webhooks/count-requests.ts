import { type RecentRejections, readRejections } from '../../domain/deliveries/recent-rejections.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import {
  type ActivityReader,
  type DeliveryCount,
  type DeliveryReader,
  HOUR_MS,
  type UnloggedCounts,
} from '../../domain/ports/delivery-log.ts';
import type { DeliveryLabel } from '../../domain/resources/delivery.ts';
import type { Clock } from '../../domain/time/clock.ts';

const HOURS = 24;

/** Number of requests to a webhook in the last 24 hours. */
interface RequestCounts {
  accepted: number;
  duplicate: number;
  /** With those that left no entry in the delivery log, such as those that got 429. */
  rejected: number;
  /** Those of them that are in the log; `null` for none. */
  rejections: RecentRejections | null;
}

/** The counts of a webhook without requests. */
export const NO_REQUESTS: RequestCounts = { accepted: 0, duplicate: 0, rejected: 0, rejections: null };

/** The counts of the webhooks of a factory. Webhooks without requests are omitted. */
export type CountRequests = (factory: string) => Promise<ReadonlyMap<WebhookUid, RequestCounts>>;

/** Counts are stored by the hour, so the period is the current hour and the 23 before it. */
export function createRequestCounter(
  activity: Pick<ActivityReader, 'deliveries'>,
  unlogged: Pick<UnloggedCounts, 'list'>,
  deliveries: Pick<DeliveryReader, 'list'>,
  clock: Clock,
): CountRequests {
  return async (factory) => {
    const untilAt = (Math.floor(clock.wallMs() / HOUR_MS) + 1) * HOUR_MS;
    const fromAt = untilAt - HOURS * HOUR_MS;
    const [logged, others] = await Promise.all([
      activity.deliveries({ factory, fromAt, untilAt }),
      unlogged.list({ factory, sinceAt: fromAt }),
    ]);
    const byWebhook = new Map<WebhookUid, RequestCounts>();
    const add = (webhook: WebhookUid, kind: CountedKind, count: number) => {
      const counts = byWebhook.get(webhook) ?? { ...NO_REQUESTS };
      counts[kind] += count;
      byWebhook.set(webhook, counts);
    };
    for (const { webhook, label, count } of logged) add(webhook, kindOf(label), count);
    for (const { webhook, count } of others) add(webhook, 'rejected', count);
    for (const [webhookUid, count] of countRejected(logged)) {
      byWebhook.get(webhookUid)!.rejections = await readRejections(deliveries, { webhookUid, sinceAt: fromAt, count });
    }
    return byWebhook;
  };
}

/** Number of rejected requests in the log, by webhook. */
function countRejected(logged: readonly DeliveryCount[]): ReadonlyMap<WebhookUid, number> {
  const rejected = new Map<WebhookUid, number>();
  for (const { webhook, label, count } of logged) {
    if (kindOf(label) === 'rejected') rejected.set(webhook, (rejected.get(webhook) ?? 0) + count);
  }
  return rejected;
}

type CountedKind = 'accepted' | 'duplicate' | 'rejected';

function kindOf(label: DeliveryLabel): CountedKind {
  if (label === 'Accepted') return 'accepted';
  return label === 'Duplicate' ? 'duplicate' : 'rejected';
}
