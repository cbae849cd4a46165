import type { DeliveryId, WebhookUid } from '../../ids.ts';
import type { Page, PageRequest } from '../../page.ts';
import type {
  Delivery,
  DeliveryLabel,
  DeliveryLogEntry,
  Evaluation,
  PastListener,
  RecordOutcome,
} from '../../resources/delivery.ts';

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
