import type { Handshake, HandshakeEntry } from '../deliveries/handshake.ts';
import type { DeliveryId, WebhookUid } from '../ids.ts';
import type { Page, PageRequest } from '../page.ts';
import type {
  Delivery,
  DeliveryLabel,
  DeliveryLogEntry,
  Evaluation,
  PastListener,
  RecordedHeaders,
  RecordOutcome,
} from '../resources/delivery.ts';
import type { RunState } from '../resources/run.ts';

/**
 * The durable log of deliveries. `record` takes a batch: deliveries that arrive during a write form the next batch,
 * which needs only one fsync (group commit).
 */
export interface DeliveryLog {
  /**
   * Writes all entries in one transaction, in order, and resolves after it is on disk; outcome i belongs to entry i. A
   * new delivery, its payload, its identity and its runs are stored together. If its identity was accepted before, only
   * a `Duplicate` row is stored. A replay is always new and has no identity.
   *
   * Throws `AppError` `storage_unavailable` (disk full or busy: nothing was written, retry later) or `storage_broken`
   * (failed fsync or damaged file: the state on disk is unknown, and the daemon must stop).
   */
  record(batch: DeliveryLogEntry[]): Promise<RecordOutcome[]>;
}

/** Filters of log entries: one webhook, or all webhooks of a factory, including deleted ones. */
export type DeliverySearch = ({ webhookUid: WebhookUid } | { factory: string }) & {
  label: DeliveryLabel | null;
  /** The sender's delivery ID, exactly. */
  identity?: string | undefined;
  /** Start (inclusive) and end (exclusive) of the time received, as wall time in milliseconds. */
  fromAt?: number | undefined;
  untilAt?: number | undefined;
  /** Only entries that were logged after this one. */
  after?: DeliveryId | undefined;
  /** Default: newest first. Not with `identity`, `isUnmatched`, `event` and `text`. */
  isOldestFirst?: boolean | undefined;
  /** Only accepted deliveries that started no run. */
  isUnmatched?: boolean | undefined;
  /** Only accepted deliveries with this event name, or with one that begins with it and a dot. */
  event?: string | undefined;
  /** Only accepted deliveries whose stored payload, or a recorded header as `name: value`, contains exactly this text. */
  text?: string | undefined;
};

/** What one page with `isUnmatched`, `event` or `text` examines at most. */
export const MAX_EXAMINED_DELIVERIES = 2_000;
export const MAX_EXAMINED_BYTES = 64 * 1024 * 1024;

export interface DeliveryPage extends Page<Delivery> {
  /**
   * With `isUnmatched`, `event` or `text`: when the oldest entry that this page examined was received. `null` if it
   * examined all that are left, and without these filters.
   */
  examinedTo?: number | null;
}

/** Reads of the delivery log for the management API. */
export interface DeliveryReader {
  /**
   * Newest first, unless `isOldestFirst`. The log of a deleted webhook stays readable until retention removes it. With
   * `isUnmatched`, `event` or `text`, a page can be short, or empty, although a next one exists. Throws `not_found` if
   * `after` is not in this log.
   */
  list(request: PageRequest & DeliverySearch): Promise<DeliveryPage>;
  get(id: DeliveryId): Promise<Delivery | null>;
  /** The exact bytes; `null` if the ID is unknown or the entry has only metadata. */
  payload(id: DeliveryId): Promise<Uint8Array | null>;
  /** The form that the payload is the JSON of; `null` if JSON was received. */
  form(id: DeliveryId): Promise<Uint8Array | null>;
  /**
   * What is stored about the evaluation of a delivery. `null` for an unknown ID and for an entry that was not accepted.
   */
  evaluation(id: DeliveryId): Promise<Evaluation | null>;
  /** The automations that listened to a webhook at an apply, by name. */
  listeners(request: ListenerSearch): Promise<PastListener[]>;
}

/** Automations that listened to a webhook at an apply. */
export interface ListenerSearch {
  webhook: WebhookUid;
  applyNumber: number;
  /** Their names; `null` for all. */
  names: readonly string[] | null;
  /** Only names after this one, in the order of UTF-8 bytes. */
  after: string | null;
  limit: number;
}

/** An accepted delivery whose payload filters evaluate again. */
export interface StoredPayload {
  id: DeliveryId;
  webhook: WebhookUid;
  receivedAt: number;
  headers: RecordedHeaders | null;
  /** The exact bytes received; always valid JSON. */
  body: Uint8Array;
}

/**
 * Reads stored payloads in bulk for a backtest. Each operation is small, so that deliveries are not delayed. Keys are
 * numbers that increase with time, and only this port uses them.
 */
export interface StoredPayloads {
  /**
   * Keys of a webhook's accepted deliveries, newest first, since a wall time in milliseconds and below the key
   * `before`.
   */
  keys(request: { webhook: WebhookUid; since: number; before: number | null; limit: number }): Promise<number[]>;
  /**
   * Reads payloads from the start of `keys` up to `maxBytes`, at least one. `taken` is the number of keys read,
   * including payloads that retention has removed.
   */
  read(keys: readonly number[], maxBytes: number): Promise<{ taken: number; payloads: StoredPayload[] }>;
}

/**
 * The log of handshakes. It is separate from the delivery log, because a handshake has none of the five labels of
 * deliveries.
 */
export interface HandshakeLog {
  append(entry: HandshakeEntry): Promise<void>;
  /** Newest first. The log of a deleted webhook stays readable until retention removes it. */
  list(request: PageRequest & { webhookUid: WebhookUid }): Promise<Page<Handshake>>;
}

/** Requests are counted by periods of this length. A count since any other time is at most this much too large. */
export const UNLOGGED_PERIOD_MS = 10 * 60_000;

/** Requests to one webhook that were answered without an entry in the delivery log, for one reason. */
export interface NewUnlogged {
  /** `AppliedWebhook.ref`. */
  webhook: number;
  /** A code of `UNLOGGED_REASONS`. */
  reason: string;
  count: number;
  /** Wall time in milliseconds of the last one. */
  lastAt: number;
}

/** What was counted since a time. */
export interface UnloggedCount {
  webhook: WebhookUid;
  reason: string;
  count: number;
  lastAt: number;
}

/**
 * Counts of requests that were answered without an entry in the delivery log, by webhook and reason. They remain for
 * `MAX_ACTIVITY_MS`, also of deleted webhooks.
 */
export interface UnloggedCounts {
  /** Adds to the counts in one transaction. Ignores webhooks that no longer exist. */
  add(unlogged: readonly NewUnlogged[]): Promise<void>;
  /** Counts since a wall time in milliseconds, of one webhook or of all webhooks of a factory. Reasons without requests are omitted. */
  list(of: ({ webhookUid: WebhookUid } | { factory: string }) & { sinceAt: number }): Promise<UnloggedCount[]>;
}

export const HOUR_MS = 3_600_000;
/** The longest period that is counted, regardless of the retention of the log. */
export const MAX_ACTIVITY_MS = 31 * 24 * HOUR_MS;

/** Number of requests to one webhook with one label in one hour. */
export interface DeliveryCount {
  webhook: WebhookUid;
  /** Wall time in milliseconds at which the hour begins. */
  hourAt: number;
  label: DeliveryLabel;
  /** Counts every request of a row that represents several. Excludes replays. */
  count: number;
}

/** Number of runs that were created in one hour and are in one state now. */
export interface RunCount {
  hourAt: number;
  state: RunState;
  count: number;
}

/** A period between two whole hours, both wall time in milliseconds. */
export interface ActivitySpan {
  factory: string;
  fromAt: number;
  untilAt: number;
}

/**
 * Counts for charts. Hours without activity are omitted. Request one day at a time, because each operation must be
 * short.
 */
export interface ActivityReader {
  deliveries(span: ActivitySpan): Promise<DeliveryCount[]>;
  runs(span: ActivitySpan): Promise<RunCount[]>;
}
