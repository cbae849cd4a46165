import type { Delivery, DeliveryLabel } from '../../../client/api-types.ts';
import { isEventOf } from '../../../domain/words/deliveries.ts';
import { type DeliveryFilter, type DeliveryTime, TIME_SPANS_MS, type TimeSpan } from '../../api/deliveries.ts';
import { factoryPath } from '../../paths.ts';

export const DELIVERY_LABELS: readonly DeliveryLabel[] = [
  'Accepted',
  'Duplicate',
  'Rejected (auth)',
  'Rejected (invalid JSON)',
  'Rejected (too large)',
];

/** All deliveries of a factory. */
export const NO_FILTER: DeliveryFilter = {
  webhook: null,
  label: null,
  deliveryId: null,
  time: null,
  event: null,
  unmatched: null,
  text: null,
};

/** Reads the filter from the URL. Unknown and invalid values are ignored. */
export function readDeliveryFilter(search: URLSearchParams): DeliveryFilter {
  return {
    webhook: search.get('webhook') || null,
    label: DELIVERY_LABELS.find((label) => label === search.get('label')) ?? null,
    deliveryId: search.get('id') || null,
    time: readTime(search),
    event: search.get('event') || null,
    unmatched: search.get('unmatched') === 'true' ? true : null,
    text: search.get('text') || null,
  };
}

function readTime(search: URLSearchParams): DeliveryTime | null {
  const last = search.get('last') ?? '';
  if (Object.hasOwn(TIME_SPANS_MS, last)) return { kind: 'last', span: last as TimeSpan };
  const [from, to] = [readInstant(search.get('from')), readInstant(search.get('to'))];
  return from === null && to === null ? null : { kind: 'between', from, to };
}

function readInstant(text: string | null): string | null {
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

export function writeDeliveryFilter({
  webhook,
  label,
  deliveryId,
  time,
  event,
  unmatched,
  text,
}: DeliveryFilter): Record<string, string> {
  const values = {
    webhook,
    label,
    id: deliveryId,
    event,
    unmatched: unmatched === null ? null : 'true',
    text,
    ...(time?.kind === 'last' ? { last: time.span } : { from: time?.from ?? null, to: time?.to ?? null }),
  };
  return Object.fromEntries(Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
}

/** The path of the deliveries that match a filter. */
export function buildDeliveriesPath(factory: string, filter: Partial<DeliveryFilter>): string {
  const search = new URLSearchParams(writeDeliveryFilter({ ...NO_FILTER, ...filter }));
  return factoryPath(factory, `deliveries?${search}`);
}

type LoggedDelivery = Pick<Delivery, 'webhook_uid' | 'label' | 'delivery_id' | 'event' | 'received_at' | 'runs'>;

/** Whether a new delivery matches the filter. Its payload is not known, so a search shows stored deliveries only. */
export function letsThrough(filter: DeliveryFilter, delivery: LoggedDelivery): boolean {
  const { webhook, label, deliveryId, time, event, unmatched, text } = filter;
  return (
    text === null &&
    (event === null || (delivery.label === 'Accepted' && isEventOf(delivery.event, event))) &&
    (unmatched === null || (delivery.label === 'Accepted' && delivery.runs.length === 0)) &&
    (webhook === null || delivery.webhook_uid === webhook) &&
    (label === null || delivery.label === label) &&
    (deliveryId === null || delivery.delivery_id === deliveryId) &&
    (time === null || holdsInstant(time, delivery.received_at))
  );
}

function holdsInstant(time: DeliveryTime, at: string): boolean {
  if (time.kind === 'last') return true;
  const ms = Date.parse(at);
  return (time.from === null || ms >= Date.parse(time.from)) && (time.to === null || ms < Date.parse(time.to));
}
