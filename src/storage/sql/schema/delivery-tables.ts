import { HANDSHAKE_OUTCOMES, type HandshakeEntry } from '../../../core/handshake.ts';
import type { DeliveryId } from '../../../core/ids.ts';
import {
  DELIVERY_FIELDS,
  IDENTITY_SOURCES,
  type IdentitySource,
  type StoredDecisions,
} from '../../../core/resources/delivery.ts';
import type { RecordOf } from '../../../core/resources/fields.ts';
import { integer } from '../../../core/resources/value-types.ts';
import { mapColumns, mapFields } from './columns.ts';

/** The fields of a delivery that `deliveries` stores. `webhook` is `AppliedWebhook.ref`; UID and name are joined. */
const STORED_FIELDS = { webhook: { type: integer }, ...DELIVERY_FIELDS };

export type StoredDelivery = RecordOf<typeof STORED_FIELDS>;

export const DELIVERIES = mapFields(STORED_FIELDS);

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

export const IDENTITIES = mapColumns<Claim>()({
  webhook: 'integer',
  source: IDENTITY_SOURCES,
  key: 'text',
  delivery: 'text',
  bodyHash: 'bytes',
  acceptedAt: 'instant',
});

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

export const CONTENTS = mapColumns<DeliveryContent>()({
  delivery: 'integer',
  body: 'bytes',
  decisions: DECISIONS,
});

export const HANDSHAKES = mapColumns<HandshakeEntry>()({
  webhook: 'integer',
  handshake: 'text',
  outcome: HANDSHAKE_OUTCOMES,
  detail: 'text',
  count: 'integer',
  receivedAt: 'instant',
  clientAddress: 'text',
});
