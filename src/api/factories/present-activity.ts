import type { ActivitySpan } from '../../core/ports/deliveries/activity-reader.ts';
import { formatInstant } from '../../core/time/clock.ts';
import type { Activity } from './collect-activity.ts';

/** Numbers for charts as the interfaces show them. */
export function presentActivity({ factory, fromAt, untilAt }: ActivitySpan, { hours, byWebhook }: Activity) {
  return {
    factory,
    from: formatInstant(fromAt),
    to: formatInstant(untilAt),
    bucket: 'hour',
    buckets: hours.map(({ startAt, deliveries, runs }) => ({ start: formatInstant(startAt), deliveries, runs })),
    webhooks: [...byWebhook].map(([webhook_uid, deliveries]) => ({ webhook_uid, deliveries })),
  };
}
