import type { DeliveryId, WebhookUid } from '../../ids.ts';
import type { Page, PageRequest } from '../../page.ts';
import type {
  Delivery,
  DeliveryLabel,
  DeliveryLogEntry,
  RecordOutcome,
  StoredDecisions,
} from '../../resources/delivery.ts';

/**
 * The durable log of deliveries. `record` is a batch on purpose: what has arrived while the last batch was being
 * written goes into the next one, and one fsync serves them all (group commit).
 */
export interface DeliveryLog {
  /**
   * Writes all entries in one transaction, in order, and resolves after it is on disk; outcome i belongs to entry i.
   * A new delivery, its payload, its identity and its runs are stored together; one whose identity was accepted
   * before becomes a `Duplicate` row with nothing else. A replay is always new and claims no identity.
   *
   * Throws `AppError` `storage_unavailable` (nothing was written, try later: disk full, busy) or `storage_broken`
   * (a failed fsync or a damaged file: unknown what is on disk; the daemon has to stop).
   */
  record(batch: DeliveryLogEntry[]): Promise<RecordOutcome[]>;
}

/** Which entries of the log: those of one webhook, or of all that a factory has or had. */
export type DeliverySearch = ({ webhookUid: WebhookUid } | { factory: string }) & {
  label: DeliveryLabel | null;
  /** The sender's delivery ID, exactly. */
  identity?: string | undefined;
  /** Received at or after, and before; wall time in milliseconds. */
  fromAt?: number | undefined;
  untilAt?: number | undefined;
};

/** Reads of the delivery log for people and scripts. */
export interface DeliveryReader {
  /** Newest first. The log of a deleted webhook stays readable until retention ends it. */
  list(request: PageRequest & DeliverySearch): Promise<Page<Delivery>>;
  get(id: DeliveryId): Promise<Delivery | null>;
  /** The exact bytes; `null` for an unknown id and for entries that keep metadata only. */
  payload(id: DeliveryId): Promise<Uint8Array | null>;
  /** The decisions for the automations that listened; none for entries that were not accepted, `null` for an unknown id. */
  decisions(id: DeliveryId): Promise<StoredDecisions | null>;
}
