import { HANDSHAKE_OUTCOMES, type HandshakeEntry } from '../../../core/handshake.ts';
import type { DeliveryId } from '../../../core/ids.ts';
import {
  DELIVERY_FIELDS,
  type Delivery,
  IDENTITY_SOURCES,
  type IdentitySource,
  type StoredDecisions,
} from '../../../core/resources/delivery.ts';
import { columnsOf, mapColumns } from './columns.ts';

/** One row of `deliveries`: the fields of a delivery that are stored, and not joined. */
export interface StoredDelivery extends Omit<Delivery, 'factory' | 'webhookUid' | 'webhookName' | 'runs'> {
  /** `AppliedWebhook.ref`. */
  webhook: number;
}

export const DELIVERIES = mapColumns<StoredDelivery>()([
  { key: 'webhook', column: 'webhook', codec: 'integer' },
  ...columnsOf(DELIVERY_FIELDS),
]);

/** One row of `identities`: the claim that makes later deliveries of the same identity duplicates. */
export interface Claim {
  /** `AppliedWebhook.ref`. */
  webhook: number;
  source: IdentitySource;
  key: string;
  delivery: DeliveryId;
  bodyHash: Uint8Array;
  acceptedAt: number;
}

export const IDENTITIES = mapColumns<Claim>()([
  { key: 'webhook', column: 'webhook', codec: 'integer' },
  { key: 'source', column: 'source', codec: IDENTITY_SOURCES },
  { key: 'key', column: 'key', codec: 'text' },
  { key: 'delivery', column: 'delivery', codec: 'text' },
  { key: 'bodyHash', column: 'body_hash', codec: 'bytes' },
  { key: 'acceptedAt', column: 'accepted_at', codec: 'instant' },
]);

export interface DeliveryContent {
  /** `seq` of the row in `deliveries`. */
  delivery: number;
  body: Uint8Array;
  decisions: StoredDecisions;
}

/** Stores the list alone if no decision was omitted, so that most rows stay short. */
const DECISIONS = {
  encode: ({ decisions, omitted }: StoredDecisions): string => {
    if (decisions.length === 0) return '[]';
    return JSON.stringify(omitted === null ? decisions : { decisions, omitted });
  },
  decode: (text: string): StoredDecisions => {
    const stored = JSON.parse(text);
    return Array.isArray(stored) ? { decisions: stored, omitted: null } : stored;
  },
};

export const CONTENTS = mapColumns<DeliveryContent>()([
  { key: 'delivery', column: 'delivery', codec: 'integer' },
  { key: 'body', column: 'body', codec: 'bytes' },
  { key: 'decisions', column: 'decisions', codec: DECISIONS },
]);

export const HANDSHAKES = mapColumns<HandshakeEntry>()([
  { key: 'webhook', column: 'webhook', codec: 'integer' },
  { key: 'handshake', column: 'handshake', codec: 'text' },
  { key: 'outcome', column: 'outcome', codec: HANDSHAKE_OUTCOMES },
  { key: 'detail', column: 'detail', codec: 'text' },
  { key: 'count', column: 'count', codec: 'integer' },
  { key: 'receivedAt', column: 'received_at', codec: 'instant' },
  { key: 'clientAddress', column: 'client_address', codec: 'text' },
]);
