import type { Actor } from '../../access.ts';
import type { DeliveryId, ReplayId } from '../../ids.ts';
import type { Delivery } from '../../resources/delivery.ts';
import type { Replay, SkipCounts } from '../../resources/replay.ts';

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

/** Which deliveries a replay examines, and with what. */
export type ReplaySelection = Pick<Replay, 'factory' | 'delivery' | 'filter' | 'automation' | 'asOf'>;

/** A request for a replay. */
export interface ReplayRequest extends ReplaySelection {
  rate: number;
  requestedBy: Actor;
  clientAddress: string;
}

/** What an automation would start. */
export interface PreviewedAutomation {
  automation: string;
  runs: number;
  /** The first deliveries that would start it. */
  examples: { delivery: DeliveryId; deliveryId: string; receivedAt: number }[];
}

/** A part of a dry run. Nothing is stored. */
export interface ReplayPreview {
  /** Number of accepted deliveries within webhook and times. */
  total: number;
  /** Number of them that this part examined. */
  examined: number;
  /** Number of deliveries that would be replayed. */
  replayed: number;
  matched: number;
  runs: number;
  skipped: SkipCounts;
  /** By name. */
  automations: PreviewedAutomation[];
  /** `null` if all deliveries were examined. */
  nextCursor: string | null;
}

/** Evaluates stored deliveries again. */
export interface ReplayControl {
  /** One delivery, with the live automations, before the answer. */
  replay(order: ReplayOrder): Promise<ReplayOutcome>;
  /** Stores a replay, which then works in the background. `null` if too many of the factory are not finished. */
  create(request: ReplayRequest): Promise<Replay | null>;
  /** What a replay would do with the next deliveries. */
  preview(selection: ReplaySelection, cursor: string | null): Promise<ReplayPreview>;
  /** Resolves with `false` if the replay has ended before. */
  cancel(id: ReplayId): Promise<boolean>;
}
