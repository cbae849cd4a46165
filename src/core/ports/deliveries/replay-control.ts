import type { DeliveryId } from '../../ids.ts';
import type { Delivery } from '../../resources/delivery.ts';

/** What is to be replayed, and on whose word. */
export interface ReplayOrder {
  delivery: Delivery;
  /** Puts it before this automation alone; `null` for all that listen. */
  automation: string | null;
  /** Where the person who asked for it sits; the log of the replay shows it. */
  clientAddress: string;
}

export type ReplayOutcome =
  /** On disk, its runs with it. */
  | { outcome: 'replayed'; id: DeliveryId }
  /** @param why one sentence for a person */
  | { outcome: 'refused'; why: string };

/** Puts stored deliveries before the automations that are live now. */
export interface ReplayControl {
  replay(order: ReplayOrder): Promise<ReplayOutcome>;
}
