import type { Actor } from '../../access.ts';
import type { Alert } from '../../alerts/alert.ts';
import type { AlertId } from '../../ids.ts';

/** A target of the configuration, and why its last message could not be sent. */
export interface AlertTargetState {
  name: string;
  type: 'webhook' | 'slack' | 'email';
  failure: { problem: string; since: number } | null;
}

/** What the management API does with alerts. */
export interface AlertControl {
  /** Throws `conflict` if the alert is not open, `not_found` if it does not exist. */
  acknowledge(id: AlertId, by: Actor, note: string | null): Promise<Alert>;
  targets(): AlertTargetState[];
  /** Sends a test message. Resolves with what was wrong; `null` if the receiver took it. Throws `not_found`. */
  test(target: string): Promise<string | null>;
}
