import type { DeliveryFilter } from '../definitions/trigger.ts';
import type { DeliveryId, ReplayId, RunId, WebhookUid } from '../ids.ts';
import type { Json } from '../json.ts';
import type { StoredTraceContext } from '../telemetry/trace-context.ts';
import type { LoopGuardLimit } from '../words/runs.ts';
import { defineFields, type RecordOf } from './fields.ts';
import {
  count,
  flag,
  id,
  instant,
  labelOf,
  labelOrNone,
  listOf,
  nullable,
  text,
  textOrNull,
  type ValueType,
} from './value-types.ts';

/** The five labels of the delivery log (specification, "Delivery (log entry)"). */
export const DELIVERY_LABELS = [
  'Accepted',
  'Duplicate',
  'Rejected (auth)',
  'Rejected (invalid JSON)',
  'Rejected (too large)',
] as const;
export type DeliveryLabel = (typeof DELIVERY_LABELS)[number];

/** The labels of requests that were not accepted. */
export const REJECTED_LABELS = DELIVERY_LABELS.filter((label) => label.startsWith('Rejected'));

/** What the label of an entry can be. `null`: the entry stands for requests over the delivery rate, which have no label. */
export const ENTRY_LABELS = [...DELIVERY_LABELS, null] as const;
export type EntryLabel = (typeof ENTRY_LABELS)[number];

/**
 * Sources of the identity of a delivery (specification, "Delivery identity"). Rows store the index, so a new source is
 * added at the end.
 */
export const IDENTITY_SOURCES = ['header', 'provider', 'service_header', 'body_hash', 'payload'] as const;
export type IdentitySource = (typeof IDENTITY_SOURCES)[number];

/** The identity of a delivery, unique per webhook and source. */
export interface DeliveryIdentity {
  source: IdentitySource;
  /** The value in the log and in the `202` response as `delivery_id`. */
  value: string;
  /**
   * The key that identifies duplicates: the bytes received, one character each. `value` is not enough, because
   * different bytes may decode to the same text (UTF-8 if valid, otherwise Latin-1). `NO_CLAIM` if no later delivery
   * is a duplicate of this one.
   */
  key: string;
  /**
   * The second key, which is one of the source `body_hash`: another delivery with the same body is a duplicate, also with
   * another ID. Omitted if only `key` identifies duplicates.
   */
  bodyKey?: string;
}

/** The key of a delivery to a webhook with `deduplicate: false`. No other key is empty. */
export const NO_CLAIM = '';

/** Number of decisions of each outcome that an earlier version did not store. */
export type OmittedDecisions = Record<'filtered' | 'disabled' | 'filter_error', number>;

/** The decisions of a delivery that an earlier version stored. */
export interface StoredDecisions {
  decisions: Decision[];
  /** `null` if all were stored. */
  omitted: OmittedDecisions | null;
}

/**
 * What is stored about the evaluation of a delivery. The decisions are composed from it and from the listeners of that
 * apply when somebody reads them.
 */
export interface MatchRecord {
  /** The apply whose listeners were evaluated: `AppliedFactory.applyNumber`. */
  applyNumber: number;
  /** The only automation that a replay evaluated; `null` for all that listen. */
  only: string | null;
  started: { automation: string; run: RunId }[];
  /** Omitted if the loop guard started all of them. */
  guarded?: GuardedDelivery | undefined;
}

/** What the loop guard did not start. */
export interface GuardedDelivery {
  /** As `DeliveryOffer.subject`. */
  subject: string;
  automations: string[];
  /** The limit that held them back. Earlier versions had only the default one and did not store it. */
  limit?: LoopGuardLimit | undefined;
}

/** What is stored about the evaluation of an accepted delivery. */
export type Evaluation = MatchRecord | StoredDecisions;

/** An automation that listened to a webhook at an apply. */
export interface PastListener {
  automation: string;
  enabled: boolean;
  /** The filters of its triggers for the webhook. One matching filter was sufficient. */
  filters: DeliveryFilter[];
}

/** Why an automation that listens to the webhook did or did not start. */
export interface Decision {
  automation: string;
  /** `paused`: a tick of a schedule while its automation is paused. The runs of other deliveries wait. */
  outcome: 'started' | 'filtered' | 'disabled' | 'filter_error' | 'ignored_actor' | 'loop_guard' | 'paused';
  run: RunId | null;
  /** The key that decided the outcome, for example `data.issue.level` or `header x-github-event`; `null` if no key did. */
  path: string | null;
  /** The condition of the filter for that key. */
  expected: Json;
  /** The shortened value of that key in the payload; `null` also if the key is missing, as `message` states. */
  actual: Json;
  message: string;
  /** Omitted if no filter was evaluated: for a start, for a tick, and for decisions that earlier versions stored. */
  nearness?: Nearness | undefined;
}

/** How near a delivery came to starting an automation that it did not start. */
export interface Nearness {
  /** Did every condition of the filter hold, so that something else decided? */
  matched: boolean;
  /** Number of conditions on present keys that held before the one that decided. */
  held: number;
  /** Does the delivery have the key that decided? */
  present: boolean;
}

/** A run that is created with its delivery. */
export interface NewRun {
  id: RunId;
  automation: string;
  /** `AppliedAutomation.version`: the prompt and overrides that were live. */
  version: number;
  /** Of `composeRunKey`. Omitted if its automation declares no `concurrency`. */
  concurrencyKey?: string | undefined;
  /** As `Run.runsOn`. Omitted if its automation declares none. */
  runsOn?: string[] | undefined;
  /** Of the delivery. Omitted if it is not traced. */
  traceContext?: StoredTraceContext | undefined;
}

/**
 * The stored request headers of a delivery, as the JSON text of an object: names in lowercase, and their values. A text,
 * because most deliveries are never read.
 */
export type RecordedHeaders = string;

/** @param headers `null` for none */
export function parseRecordedHeaders(headers: RecordedHeaders | null): { [name: string]: string } {
  return headers === null ? {} : (JSON.parse(headers) as { [name: string]: string });
}

interface Logged {
  id: DeliveryId;
  /** `AppliedWebhook.ref`. */
  webhook: number;
  /** Size of the body in bytes. If the body was not read completely: the bytes read or the announced size. */
  size: number;
  /** Wall time in milliseconds. */
  receivedAt: number;
  clientAddress: string;
  /** `null` if none was recorded. */
  headers: RecordedHeaders | null;
  /** The commit that was live. */
  revision: string | null;
}

/**
 * How an accepted delivery arrived that its sender did not post now: from the API of its provider, with its original
 * signature, or signed again.
 */
export type BackfillReason = 'backfilled' | 'backfilled_signed_again';

/** Why a tick of a schedule started no run. It is not caught up later. */
export type TickReason = 'disabled' | 'paused';

/** What is stored about a tick of a schedule instead of a `MatchRecord`: only its time decides. */
interface TickRecord {
  reason: TickReason | null;
  decisions: Decision[];
}

/** A delivery that passed every check. The storage decides in its transaction whether it is new. */
export interface DeliveryOffer extends Logged {
  kind: 'offer';
  identity: DeliveryIdentity;
  /** Omitted if its sender posted it. */
  backfill?: BackfillReason | undefined;
  /** Only of a tick of a schedule, which `ScheduleStore.advance` records. */
  tick?: TickRecord | undefined;
  /** The name of the event; `null` if it is not known. */
  event: string | null;
  /** `null` if the scheme has no template, or nothing in the payload fits it. */
  summary: string | null;
  /**
   * The exact bytes received, or the JSON of a form. A large body in a dedicated buffer is transferred without a copy, so do not read it afterwards.
   */
  body: Uint8Array<ArrayBuffer>;
  /** The form received, if `body` is its JSON; `null` if `body` is what was received. */
  form: Uint8Array<ArrayBuffer> | null;
  /** `MatchRecord.applyNumber`. */
  applyNumber: number;
  runs: NewRun[];
  /**
   * What the delivery is about, as `SubjectReader.read` returns it: the loop guard counts its runs. Omitted if they do not count.
   */
  subject?: string | undefined;
  /** The limit of the loop guard for these runs. Default: `LOOP_GUARD` */
  guard?: LoopGuardLimit | undefined;
}

/**
 * A replay of an accepted delivery with the live automations: a new row with the same webhook and body. A replay has no
 * identity, so a repeated request of the sender stays a duplicate of the original.
 */
export interface ReplayEntry extends Logged {
  kind: 'replay';
  /** The delivery that the sender posted. */
  replayOf: DeliveryId;
  /** Of which replay of several deliveries it is a part; `null` for a replay of one delivery. */
  replay: ReplayId | null;
  identity: Omit<DeliveryIdentity, 'key'>;
  /** Those of the original. */
  event: string | null;
  summary: string | null;
  /** The exact bytes stored, in a dedicated buffer that is transferred like that of an offer. */
  body: Uint8Array<ArrayBuffer>;
  /** As in the original. */
  form: Uint8Array<ArrayBuffer> | null;
  /** `MatchRecord.applyNumber`. */
  applyNumber: number;
  /** `MatchRecord.only`. */
  only: string | null;
  runs: NewRun[];
}

/** Metadata of a rejected request, or of several, without bodies and credentials. */
export interface RejectionEntry extends Logged {
  kind: 'rejection';
  label: Exclude<EntryLabel, 'Accepted' | 'Duplicate'>;
  /** Machine-readable, only for the team, for example `stale_timestamp`. */
  reason: string;
  /** One sentence for users; `null` if the reason needs none. */
  detail: string | null;
  identity: Omit<DeliveryIdentity, 'key'> | null;
  /** Number of requests that this row represents: more than 1 if the row summarizes a flood. */
  count: number;
  /** If the row stands for several requests: the delivery IDs by which it is found. They claim no identity. */
  deliveryIds?: readonly string[];
}

export type DeliveryLogEntry = DeliveryOffer | ReplayEntry | RejectionEntry;

/** The result of recording one entry of a batch. Only the storage decides the label, in its transaction. */
export type RecordOutcome = OfferOutcome | { label: RejectionEntry['label'] };

/** The result of recording a delivery that passed every check. */
export type OfferOutcome =
  /** `guarded`: the automations that the loop guard did not start; omitted if there are none. */
  | { label: 'Accepted'; guarded?: string[] }
  | { label: 'Duplicate'; of: DeliveryId; reason: 'same_identity' | 'same_identity_other_body' }
  /** Only this entry could not be written; the rest of its batch was. */
  | { label: null; message: string };

const recordedHeaders: ValueType<RecordedHeaders | null, 'text'> = {
  format: 'text',
  schema: { type: ['object', 'null'], additionalProperties: { type: 'string' } },
  present: (headers) => (headers === null ? null : parseRecordedHeaders(headers)),
};

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
  deduplicated: {
    type: flag,
    description:
      'Whether `delivery_id` decided that it is new or a duplicate; `false` for a delivery that was accepted with `deduplicate: false`.',
    column: null,
  },
  event: {
    type: textOrNull,
    description:
      'The name of the event, such as `pull_request.opened`; `null` if it is not known or not authenticated.',
  },
  summary: {
    type: textOrNull,
    description:
      'One line about the event, for the well-known schemes: the repository, the title and the person, for example. Text of the sender. `null` if it is not known.',
  },
  headers: {
    type: recordedHeaders,
    description:
      'Request headers that were recorded, names in lowercase: `user-agent`, `content-type`, those of the scheme, those that filters test, and those in `record_headers`. Never a credential. `null` for deliveries to earlier versions.',
  },
  label: {
    type: labelOrNone(DELIVERY_LABELS),
    description:
      '`null` for an entry that stands for the requests of one minute over the delivery rate. They got 429 and have no label.',
  },
  reason: {
    type: textOrNull,
    description: 'Why the delivery was rejected, is a duplicate or was backfilled, as a code.',
  },
  detail: { type: textOrNull, description: 'Details of the reason; `null` if it has none.' },
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
  replay: {
    type: nullable(id<ReplayId>()),
    description: 'For a part of a replay of stored deliveries: the ID of that replay.',
  },
  runs: { type: listOf<RunId>(), description: 'IDs of the runs that it started.', column: null },
});

/** A row of the delivery log as it is read. */
export interface Delivery extends RecordOf<typeof DELIVERY_FIELDS> {}
