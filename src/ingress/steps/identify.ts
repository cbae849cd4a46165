import { hash } from 'node:crypto';
import { type RequestHeaders, trimBlanks } from '../../core/headers.ts';
import type { DeliveryIdentity, IdentitySource } from '../../core/resources/delivery.ts';
import type { LiveWebhook } from '../../registry/live-webhook.ts';
import { decodeHeader } from './decode-header.ts';

/** Header in which any sender may set its event ID (specification, "Delivery identity"). */
const SERVICE_HEADER = 'x-service-delivery-id';

/** A longer identity is replaced by its hash. */
const MAX_IDENTITY_BYTES = 255;

/** The settings of a webhook for identities. */
export type IdentityRules = Pick<LiveWebhook, 'identityHeader' | 'holdsSecret'>;

/**
 * The identity of a delivery: the first available of the webhook's header, the provider's header, the service header
 * and the hash of the body (specification, "Delivery identity").
 *
 * @param providerIdentity value of the provider's delivery header, if a signature was verified
 */
export function identify(
  headers: RequestHeaders,
  rules: IdentityRules,
  providerIdentity: string | null,
  body: Uint8Array,
): DeliveryIdentity {
  const named = findNamedIdentity(headers, rules, providerIdentity);
  if (named !== null) return named;
  const value = `sha256:${hash('sha256', body)}`;
  return { source: 'body_hash', value, key: value };
}

/** The identity from a header; `null` if no header has one. Also used for the log rows of rejections. */
export function findNamedIdentity(
  headers: RequestHeaders,
  { identityHeader, holdsSecret }: IdentityRules,
  providerIdentity: string | null,
): DeliveryIdentity | null {
  const read = (source: IdentitySource, received: string | undefined) => readIdentity(source, received, holdsSecret);
  return (
    read('header', identityHeader === null ? undefined : headers.get(identityHeader)) ??
    read('provider', providerIdentity ?? undefined) ??
    read('service_header', headers.get(SERVICE_HEADER))
  );
}

/** Treats an empty value as absent. A value that contains the webhook's secret is replaced by its hash. */
function readIdentity(
  source: IdentitySource,
  received: string | undefined,
  holdsSecret: IdentityRules['holdsSecret'],
): DeliveryIdentity | null {
  const raw = trimBlanks(received ?? '');
  if (raw === '') return null;
  if (raw.length <= MAX_IDENTITY_BYTES && !holdsSecret(raw)) return { source, value: decodeHeader(raw), key: raw };
  const value = `sha256:${hash('sha256', Buffer.from(raw, 'latin1'))}`;
  return { source, value, key: HASHED + value };
}

/** Marks keys of hashed identities. No header can contain a line feed, so no received ID has the same key as a hash. */
const HASHED = '\n';
