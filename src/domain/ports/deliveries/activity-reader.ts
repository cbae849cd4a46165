import type { WebhookUid } from '../../ids.ts';
import type { DeliveryLabel } from '../../resources/delivery.ts';
import type { RunState } from '../../resources/run.ts';

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
