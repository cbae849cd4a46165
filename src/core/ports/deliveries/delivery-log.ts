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
};

/** Reads of the delivery log for the management API. */
export interface DeliveryReader {
  /** Newest first. The log of a deleted webhook stays readable until retention removes it. */
  list(request: PageRequest & DeliverySearch): Promise<Page<Delivery>>;
  get(id: DeliveryId): Promise<Delivery | null>;
  /** The exact bytes; `null` if the ID is unknown or the entry has only metadata. */
  payload(id: DeliveryId): Promise<Uint8Array | null>;
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
