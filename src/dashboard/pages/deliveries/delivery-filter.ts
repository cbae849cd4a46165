import type { DeliveryFilter } from '../../api/deliveries.ts';
import type { DeliveryLabel } from '../../api/types.ts';

export const DELIVERY_LABELS: readonly DeliveryLabel[] = [
  'Accepted',
  'Duplicate',
  'Rejected (auth)',
  'Rejected (invalid JSON)',
  'Rejected (too large)',
];

/** The filter that an address holds, so that it can be passed on. `null` without any webhook. */
export function readDeliveryFilter(search: URLSearchParams, otherwise: string | null): DeliveryFilter | null {
  const webhook = search.get('webhook') ?? otherwise;
  if (webhook === null) return null;
  return { webhook, label: DELIVERY_LABELS.find((label) => label === search.get('label')) ?? null };
}

export function writeDeliveryFilter({ webhook, label }: DeliveryFilter): Record<string, string> {
  return { webhook, ...(label === null ? {} : { label }) };
}
