import type { BackfillReason } from '../../resources/delivery.ts';
import type { WebhookView } from '../definitions/inventory.ts';

/** A delivery as the API of its provider reports it. */
export interface MissedDelivery {
  /** The sender's delivery ID. */
  deliveryId: string;
  /** The headers of the original request. */
  headers: Readonly<Record<string, string>>;
  /** JSON. Its bytes may differ from the original ones. */
  payload: string;
}

/** The answer of the ingress. */
interface BackfillAnswer {
  status: number;
  /** Seconds to wait before another attempt; `null` if the ingress named none. */
  retryAfter: number | null;
  /** Whether the original signature was posted, or a new one. */
  reason: BackfillReason;
}

/** Posts missed deliveries to the ingress of this daemon, with their original IDs. */
export interface BackfillControl {
  post(webhook: WebhookView, delivery: MissedDelivery): Promise<BackfillAnswer>;
}
