import type { WebhookUid } from '../../domain/ids.ts';
import { type ActivityReader, type ActivitySpan, HOUR_MS } from '../../domain/ports/delivery-log.ts';
import { DELIVERY_LABELS, type DeliveryLabel } from '../../domain/resources/delivery.ts';
import { RUN_STATES, type RunState } from '../../domain/resources/run.ts';
import { formatInstant } from '../../domain/time/clock.ts';

/** One hour of a factory. */
interface ActivityHour {
  startAt: number;
  deliveries: Record<DeliveryLabel, number>;
  runs: Record<RunState, number>;
}

/** A factory hour by hour, those without anything included. */
interface CollectedActivity {
  hours: ActivityHour[];
  /** Number of deliveries of each webhook, with any label, in the same hours. Webhooks without deliveries are omitted. */
  byWebhook: Map<WebhookUid, number[]>;
}

const DAY_MS = 24 * HOUR_MS;

/** Asks for a day at a time, so that deliveries that come meanwhile are written in between. */
export async function collectActivity(reader: ActivityReader, span: ActivitySpan): Promise<CollectedActivity> {
  const { factory, fromAt, untilAt } = span;
  const count = Math.round((untilAt - fromAt) / HOUR_MS);
  const hours = Array.from({ length: count }, (_, index) => beginHour(fromAt + index * HOUR_MS));
  const byWebhook = new Map<WebhookUid, number[]>();
  const indexOf = (hourAt: number) => Math.round((hourAt - fromAt) / HOUR_MS);
  for (let at = fromAt; at < untilAt; at += DAY_MS) {
    const day = { factory, fromAt: at, untilAt: Math.min(at + DAY_MS, untilAt) };
    for (const { webhook, hourAt, label, count: arrived } of await reader.deliveries(day)) {
      hours[indexOf(hourAt)]!.deliveries[label] += arrived;
      const ofWebhook = byWebhook.get(webhook) ?? new Array<number>(count).fill(0);
      ofWebhook[indexOf(hourAt)]! += arrived;
      byWebhook.set(webhook, ofWebhook);
    }
    for (const { hourAt, state, count: born } of await reader.runs(day)) hours[indexOf(hourAt)]!.runs[state] += born;
  }
  return { hours, byWebhook };
}

function beginHour(startAt: number): ActivityHour {
  return { startAt, deliveries: zeros(DELIVERY_LABELS), runs: zeros(RUN_STATES) };
}

function zeros<Key extends string>(keys: readonly Key[]): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
}

/** Numbers for charts as the interfaces show them. */
export function presentActivity({ factory, fromAt, untilAt }: ActivitySpan, { hours, byWebhook }: CollectedActivity) {
  return {
    factory,
    from: formatInstant(fromAt),
    to: formatInstant(untilAt),
    bucket: 'hour',
    buckets: hours.map(({ startAt, deliveries, runs }) => ({ start: formatInstant(startAt), deliveries, runs })),
    webhooks: [...byWebhook].map(([webhook_uid, deliveries]) => ({ webhook_uid, deliveries })),
  };
}
