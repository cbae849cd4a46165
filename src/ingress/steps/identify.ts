import { hash } from 'node:crypto';
import { type RequestHeaders, trimBlanks } from '../../core/headers.ts';
import type { Identity, IdentitySource } from '../../core/resources/delivery.ts';
import type { LiveWebhook } from '../../registry/live-webhook.ts';

/** Header in which any sender may stamp its own event ID (specification, "Delivery identity"). */
const SERVICE_HEADER = 'x-service-delivery-id';

/** An identity longer than this is replaced by its hash. */
const MAX_IDENTITY_BYTES = 255;

/** What the webhook decides about identities. */
export type IdentityRules = Pick<LiveWebhook, 'identityHeader' | 'holdsSecret'>;

/**
 * Which delivery is this: the first available of the webhook's own header, the provider's header, the service's
 * header and the hash of the body (specification, "Delivery identity").
 *
 * @param providerIdentity value of the provider's delivery header, where a signature was verified
 */
export function identify(
  headers: RequestHeaders,
  rules: IdentityRules,
  providerIdentity: string | null,
  bodyHash: Buffer,
): Identity {
  const named = findNamedIdentity(headers, rules, providerIdentity);
  if (named !== null) return named;
  const value = `sha256:${bodyHash.toString('hex')}`;
  return { source: 'body_hash', value, key: value };
}

/** The identity that a header names, as far as one is known; also for the log rows of rejections. */
export function findNamedIdentity(
  headers: RequestHeaders,
  { identityHeader, holdsSecret }: IdentityRules,
  providerIdentity: string | null,
): Identity | null {
  const read = (source: IdentitySource, received: string | undefined) => readIdentity(source, received, holdsSecret);
  return (
    read('header', identityHeader === null ? undefined : headers.get(identityHeader)) ??
    read('provider', providerIdentity ?? undefined) ??
    read('service_header', headers.get(SERVICE_HEADER))
  );
}

/** An empty value counts as absent. One that holds the webhook's secret is neither stored nor shown as it is. */
function readIdentity(
  source: IdentitySource,
  received: string | undefined,
  holdsSecret: IdentityRules['holdsSecret'],
): Identity | null {
  const raw = trimBlanks(received ?? '');
  if (raw === '') return null;
  if (raw.length <= MAX_IDENTITY_BYTES && !holdsSecret(raw)) return { source, value: decodeText(raw), key: raw };
  const value = `sha256:${hash('sha256', Buffer.from(raw, 'latin1'))}`;
  return { source, value, key: HASHED + value };
}

/** No header can hold a line feed, so an ID that looks like a hash is another key than the ID with that hash. */
const HASHED = '\n';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param raw bytes received, one character each; read as UTF-8 where they are valid UTF-8, else as Latin-1 */
function decodeText(raw: string): string {
  if (/^[\x00-\x7f]*$/.test(raw)) return raw;
  try {
    return utf8.decode(Buffer.from(raw, 'latin1'));
  } catch {
    return raw;
  }
}
