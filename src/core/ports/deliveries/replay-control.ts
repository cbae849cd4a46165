import type { DeliveryId } from '../../ids.ts';
import type { Delivery } from '../../resources/delivery.ts';

/** A delivery to replay, and the address of the person who requested the replay. */
export interface ReplayOrder {
  delivery: Delivery;
  /** The only automation to evaluate; `null` for all that listen. */
  automation: string | null;
  /** Address of the client that requested the replay, for the delivery log. */
  clientAddress: string;
}

export type ReplayOutcome =
  /** The replay and its runs are on disk. */
  | { outcome: 'replayed'; id: DeliveryId }
  /** @param why one sentence for users */
  | { outcome: 'rejected'; why: string };

/** Evaluates stored deliveries again with the live automations. */
export interface ReplayControl {
  replay(order: ReplayOrder): Promise<ReplayOutcome>;
}
