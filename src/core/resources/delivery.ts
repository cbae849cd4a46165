import type { DeliveryId, RunId, WebhookUid } from '../ids.ts';
import type { Json } from '../json.ts';
import { defineFields, type RecordOf } from './fields.ts';
import { count, id, instant, labelOf, listOf, nullable, text, textOrNull } from './value-types.ts';

/** The five labels of the delivery log (specification, "Delivery (log entry)"). */
export const DELIVERY_LABELS = [
  'Accepted',
  'Duplicate',
  'Rejected (auth)',
  'Rejected (invalid JSON)',
  'Rejected (too large)',
] as const;
export type DeliveryLabel = (typeof DELIVERY_LABELS)[number];

/** Where the identity of a delivery came from (specification, "Delivery identity"), first available first. */
export const IDENTITY_SOURCES = ['header', 'provider', 'service_header', 'body_hash'] as const;
export type IdentitySource = (typeof IDENTITY_SOURCES)[number];

/** The identity of a delivery, scoped to one webhook and to the source it came from. */
export interface Identity {
  source: IdentitySource;
  /** What the log shows and the `202` returns as `delivery_id`. */
  value: string;
  /**
   * What two deliveries are compared by: the bytes received, one character each. `value` alone would not do, since
   * different bytes may read as the same text (UTF-8 where valid, else Latin-1).
   */
  key: string;
}

/** Of the decisions that started no run, at most this many are stored with a delivery. */
export const MAX_DECISIONS_WITHOUT_RUN = 200;

/** Decisions beyond `MAX_DECISIONS_WITHOUT_RUN`: how many of each outcome are not stored. */
export type OmittedDecisions = Record<Exclude<Decision['outcome'], 'started'>, number>;

/** The decisions of one delivery as they were stored. */
export interface StoredDecisions {
  decisions: Decision[];
  /** `null`: all were stored. */
  omitted: OmittedDecisions | null;
}

/** Why an automation that listens to the webhook did or did not start. */
export interface Decision {
  automation: string;
  outcome: 'started' | 'filtered' | 'disabled' | 'filter_error';
  run: RunId | null;
  /** The key that decided, for example `data.issue.level`; `null` where no key did. */
  path: string | null;
  /** What the filter asked of that key. */
  expected: Json;
  /** What the payload held there, shortened; `null` also where it held nothing (then `message` says so). */
  actual: Json;
  message: string;
}

/** A run to be born with its delivery. */
export interface NewRun {
  id: RunId;
  automation: string;
  /** `AppliedAutomation.version`: the prompt and overrides that were live. */
  version: number;
}

interface Logged {
  id: DeliveryId;
  /** `AppliedWebhook.ref`. */
  webhook: number;
  /** Size of the body in bytes; the bytes read so far or the announced size where it was not read whole. */
  size: number;
  /** Wall time in milliseconds. */
  receivedAt: number;
  clientAddress: string;
  /** The commit that was live. */
  revision: string | null;
}

/** A delivery that passed every check. Whether it is new is for the storage to decide, inside its transaction. */
export interface DeliveryOffer extends Logged {
  kind: 'offer';
  identity: Identity;
  /** The exact bytes received, in a buffer of their own: handed over, not copied, so not to be read afterwards. */
  body: Uint8Array<ArrayBuffer>;
  /** SHA-256 of `body`, to see that a repeated identity came with another body (threat model N9). */
  bodyHash: Uint8Array;
  decisions: Decision[];
  omitted: OmittedDecisions | null;
  runs: NewRun[];
}

/**
 * An accepted delivery that a person puts before the live automations again: a row of its own with the same webhook and
 * body. It claims no identity, so what its sender repeats stays a duplicate of the original.
 */
export interface ReplayEntry extends Logged {
  kind: 'replay';
  /** The delivery that the sender posted. */
  replayOf: DeliveryId;
  identity: Omit<Identity, 'key'>;
  /** The exact bytes stored, in a buffer of their own: handed over, as those of an offer. */
  body: Uint8Array<ArrayBuffer>;
  decisions: Decision[];
  omitted: OmittedDecisions | null;
  runs: NewRun[];
}

/** Metadata of a request that was turned away; never its body, never its credential. */
export interface RejectionEntry extends Logged {
  kind: 'rejection';
  label: Exclude<DeliveryLabel, 'Accepted' | 'Duplicate'>;
  /** Machine-readable, for the team's eyes, for example `stale_timestamp`. */
  reason: string;
  /** One sentence for a person; `null` where the reason says it all. */
  detail: string | null;
  identity: Omit<Identity, 'key'> | null;
  /** How many requests this row stands for: 1, or more where a flood is summed up. */
  count: number;
}

export type DeliveryLogEntry = DeliveryOffer | ReplayEntry | RejectionEntry;

/** What the storage made of one entry of a batch. Inside its transaction it decides the label, and nobody else does. */
export type RecordOutcome =
  | { label: 'Accepted' }
  | { label: 'Duplicate'; of: DeliveryId; reason: 'same_identity' | 'same_identity_other_body' }
  | { label: RejectionEntry['label'] }
  /** This entry alone could not be written; the rest of its batch was. */
  | { label: null; message: string };

/** The fields of a row of the delivery log. */
export const DELIVERY_FIELDS = defineFields({
  id: { type: id<DeliveryId>() },
  factory: { type: text, column: null },
  webhookUid: { type: id<WebhookUid>(), column: null },
  webhookName: { type: text, column: null },
  deliveryId: {
    type: textOrNull,
    description: 'The sender’s ID of the delivery; `null` if it is not known.',
    column: 'identity',
  },
  deliveryIdSource: {
    type: nullable(labelOf(IDENTITY_SOURCES)),
    description: 'Where `delivery_id` was read; `null` without one.',
    column: 'identity_source',
  },
  label: { type: labelOf(DELIVERY_LABELS) },
  reason: { type: textOrNull, description: 'Why the delivery was rejected or is a duplicate, as a code.' },
  detail: { type: textOrNull, description: 'Particulars of the reason; `null` if the reason needs none.' },
  size: { type: count, description: 'Size of the body in bytes.' },
  count: { type: count, description: 'Number of requests that this row stands for.' },
  receivedAt: { type: instant },
  clientAddress: { type: text },
  revision: { type: textOrNull, description: 'The commit that was live.' },
  duplicateOf: {
    type: nullable(id<DeliveryId>()),
    description: 'For a duplicate: the accepted delivery; `null` after retention has removed it.',
  },
  replayOf: {
    type: nullable(id<DeliveryId>()),
    description: 'For a replay: the delivery that the sender posted, also after retention has removed it.',
  },
  runs: { type: listOf<RunId>(), description: 'IDs of the runs that it started.', column: null },
});

/** A row of the delivery log as it is read back. */
export interface Delivery extends RecordOf<typeof DELIVERY_FIELDS> {}
