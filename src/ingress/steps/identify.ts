import { hash } from 'node:crypto';
import { toWireText } from '../../definitions/signature/verify/request-parts.ts';
import { type RequestHeaders, trimBlanks } from '../../domain/deliveries/headers.ts';
import { readPath } from '../../domain/json.ts';
import { type DeliveryIdentity, type IdentitySource, NO_CLAIM } from '../../domain/resources/delivery.ts';
import type { LiveWebhook } from '../registry/live-webhook.ts';
import { decodeHeader } from './decode-header.ts';

/** Header in which any sender may set its event ID (specification, "Delivery identity"). */
const SERVICE_HEADER = 'x-service-delivery-id';

/** A longer identity is replaced by its hash. */
const MAX_IDENTITY_BYTES = 255;

/** The settings of a webhook for identities. */
type IdentityRules = Pick<LiveWebhook, 'identityHeader' | 'identityPath' | 'holdsSecret'>;

type ClaimRules = IdentityRules & Pick<LiveWebhook, 'deduplicate' | 'hasBodyKey'>;

/** What identifies a delivery before its body as a whole does. */
interface IdentityParts {
  headers: RequestHeaders;
  /** Value of the provider's delivery header, if a signature was verified. */
  providerIdentity: string | null;
  /** With the value at `identityPath`. `undefined` if the payload was not read. */
  payload: unknown;
  /** The text of the number at a path of the payload, with all its digits. Omitted if the payload was not read. */
  readDigits?(path: readonly string[]): unknown;
}

/**
 * The identity of a delivery: the first available of the webhook's header or path, the provider's header, the service
 * header and the hash of the body (specification, "Delivery identity"). For some schemes, the hash is the second key.
 */
export function identify(parts: IdentityParts, rules: ClaimRules, body: Uint8Array): DeliveryIdentity {
  const named = findNamedIdentity(parts, rules);
  const identity = named ?? hashBody(body);
  if (!rules.deduplicate) return { ...identity, key: NO_CLAIM };
  return named === null || !rules.hasBodyKey ? identity : { ...named, bodyKey: hashBody(body).key };
}

function hashBody(body: Uint8Array): DeliveryIdentity {
  const value = `sha256:${hash('sha256', body)}`;
  return { source: 'body_hash', value, key: value };
}

/** The identity that the sender names; `null` if it names none. Also used for the log rows of rejections. */
export function findNamedIdentity(
  { headers, providerIdentity, payload, readDigits }: IdentityParts,
  { identityHeader, identityPath, holdsSecret }: IdentityRules,
): DeliveryIdentity | null {
  const read = (source: IdentitySource, received: string | undefined) => readIdentity(source, received, holdsSecret);
  return (
    read('header', identityHeader === null ? undefined : headers.get(identityHeader)) ??
    read('payload', identityPath === null ? undefined : readPayloadIdentity(payload, identityPath, readDigits)) ??
    read('provider', providerIdentity ?? undefined) ??
    read('service_header', headers.get(SERVICE_HEADER))
  );
}

/**
 * The ID at a path of the payload, in the form of header values: a text, or a whole number. Other values have two forms or
 * none, so that different deliveries could get the same ID.
 */
function readPayloadIdentity(
  payload: unknown,
  path: readonly string[],
  readDigits: IdentityParts['readDigits'],
): string | undefined {
  const value = readPath(payload, path);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : readWhole(readDigits?.(path));
  return typeof value === 'string' && !UNPAIRED.test(value) ? toWireText(value) : undefined;
}

/** A number above 2^53 - 1 was rounded: two IDs could have become one. */
function readWhole(digits: unknown): string | undefined {
  return typeof digits === 'string' && /^-?\d+$/.test(digits) ? digits : undefined;
}

/** A half of a surrogate pair, which UTF-8 cannot encode. */
const UNPAIRED = /\p{Cs}/u;

/**
 * Treats an empty value as absent. A value that contains the webhook's secret, or control characters, is replaced by its
 * hash.
 */
function readIdentity(
  source: IdentitySource,
  received: string | undefined,
  holdsSecret: IdentityRules['holdsSecret'],
): DeliveryIdentity | null {
  const raw = trimBlanks(received ?? '');
  if (raw === '') return null;
  if (raw.length <= MAX_IDENTITY_BYTES && !UNPRINTABLE.test(raw) && !holdsSecret(raw))
    return { source, value: decodeHeader(raw), key: raw };
  const value = `sha256:${hash('sha256', Buffer.from(raw, 'latin1'))}`;
  return { source, value, key: HASHED + value };
}

/** Control characters that no header can contain, but a text of the payload can. */
const UNPRINTABLE = /[\x00-\x08\x0a-\x1f\x7f]/;

/** Marks keys of hashed identities. No identity contains a line feed, so no received ID has the same key as a hash. */
const HASHED = '\n';
