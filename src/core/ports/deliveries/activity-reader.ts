import type { WebhookUid } from '../../ids.ts';
import type { DeliveryLabel } from '../../resources/delivery.ts';
import type { RunState } from '../../resources/run.ts';

export const HOUR_MS = 3_600_000;
/** How far back what arrived is counted, whatever the log keeps. */
export const MAX_ACTIVITY_MS = 31 * 24 * HOUR_MS;

/** What arrived for one webhook in one hour under one label. */
export interface DeliveryCount {
  webhook: WebhookUid;
  /** Wall time in milliseconds at which the hour begins. */
  hourAt: number;
  label: DeliveryLabel;
  /** Requests, those that one row of the log sums up counted each. Replays did not arrive. */
  count: number;
}

/** Runs that were born in one hour and are in one state now. */
export interface RunCount {
  hourAt: number;
  state: RunState;
  count: number;
}

/** A time from one whole hour up to another, both wall time in milliseconds. */
export interface ActivitySpan {
  factory: string;
  fromAt: number;
  untilAt: number;
}

/** Numbers for charts. Hours without anything are left out. Ask for a day at a time: each operation is to be short. */
export interface ActivityReader {
  deliveries(span: ActivitySpan): Promise<DeliveryCount[]>;
  runs(span: ActivitySpan): Promise<RunCount[]>;
}
