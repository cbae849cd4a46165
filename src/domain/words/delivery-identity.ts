/** What identifies a delivery, as a noun without an article. */
export const IDENTITY_SOURCE_WORDS = {
  header: 'delivery ID header',
  payload: 'delivery ID in the payload',
  provider: 'delivery header of the provider',
  service_header: 'X-Service-Delivery-Id',
  body_hash: 'hash of the body',
} as const;

/** What identifies the deliveries of a webhook, and when a repeated body counts as a duplicate. */
export const WEBHOOK_IDENTITY_WORDS = {
  header: 'Delivery ID: the delivery ID header. Without it, identical bodies count as duplicates.',
  payload: 'Delivery ID: in the payload. Without it, identical bodies count as duplicates.',
  provider: 'Delivery ID: set by the provider.',
  'service header or body':
    'Delivery ID: X-Service-Delivery-Id. Without it, identical bodies count as duplicates.\nIf the sender sets another header with an event ID, name it as deliveryIdHeader.\nIf the payload contains an event ID, name its path as deliveryIdPath.',
  body: 'Deliveries with identical bodies are duplicates, also if their IDs differ: no signed part of a request identifies it.',
} as const;

/** What identifies the deliveries of a webhook with `deduplicate: false`. */
export const NOT_DEDUPLICATED_WORDS =
  'Every delivery is new (deduplicate: false), also one with a repeated ID or body.';

/** What identifies a delivery, and whether that decided that it is new. */
export function describeIdentitySource(
  source: keyof typeof IDENTITY_SOURCE_WORDS | null,
  isDeduplicated: boolean,
): string | null {
  if (source === null) return null;
  return isDeduplicated ? IDENTITY_SOURCE_WORDS[source] : `${IDENTITY_SOURCE_WORDS[source]}, not deduplicated`;
}
