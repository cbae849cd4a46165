import type { DeliveryId, WebhookUid } from '../../ids.ts';

/** An accepted delivery as it is put before filters again. */
export interface StoredPayload {
  id: DeliveryId;
  webhook: WebhookUid;
  receivedAt: number;
  /** The exact bytes received; valid JSON, since nothing else is accepted. */
  body: Uint8Array;
}

/**
 * Reads stored payloads in bulk, for a backtest. Each operation is small, so that no batch of deliveries has to wait
 * for it noticeably. Keys are numbers that rise with time; they mean nothing outside of this port.
 */
export interface StoredPayloads {
  /** Keys of a webhook's accepted deliveries since a wall time in milliseconds, newest first, those under `before` only. */
  keys(request: { webhook: WebhookUid; since: number; before: number | null; limit: number }): Promise<number[]>;
  /**
   * From the front of `keys` as many as fit in `maxBytes`, at least one: `taken` of them were looked at. What retention
   * has removed since is left out.
   */
  read(keys: readonly number[], maxBytes: number): Promise<{ taken: number; payloads: StoredPayload[] }>;
}
