import type { DeliveryId, WebhookUid } from '../../ids.ts';
import type { RecordedHeaders } from '../../resources/delivery.ts';

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
