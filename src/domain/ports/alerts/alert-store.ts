import type { Actor } from '../../access.ts';
import type { Alert, AlertMessage, AlertNotice, AlertState } from '../../alerts/alert.ts';
import type { AlertRule } from '../../alerts/alert-rules.ts';
import type { AlertId, AlertMessageId } from '../../ids.ts';
import type { Page, PageRequest } from '../../page.ts';

/** What one evaluation changes, written in one transaction. */
export interface AlertChanges {
  opened: Alert[];
  /** Alerts that exist, with their new values. Nobody else's acknowledgement is overwritten. */
  changed: Alert[];
  notices: AlertNotice[];
}

/** Filters of a list. */
export interface AlertRequest extends PageRequest {
  /** `active`: open or acknowledged; `null` for all. */
  state: AlertState | 'active' | null;
  rule: AlertRule | null;
  /** Only alerts of these factories, without those of the installation; `null` for all. */
  factories: readonly string[] | null;
}

/** The alerts. */
export interface AlertStore {
  /** All that are not resolved. */
  active(): Promise<Alert[]>;
  change(changes: AlertChanges): Promise<void>;
  /** The alert afterwards; `null`, and nothing changes, if it is not `open`. */
  acknowledge(id: AlertId, by: Actor, note: string | null, at: number): Promise<Alert | null>;
  get(id: AlertId): Promise<Alert | null>;
  /** Newest first. */
  list(request: AlertRequest): Promise<Page<Alert>>;
  /** Deletes some alerts that were resolved before a time, and messages of targets that have waited since then. */
  prune(before: number): Promise<void>;
}

/** The durable queue of messages to targets. */
export interface AlertMessages {
  /** When the next message to the target is to be composed; `null` if no notification waits. */
  nextDueAt(target: string): Promise<number | null>;
  /** Makes one message of the notifications that wait, oldest first. Does nothing if none waits. */
  compose(message: { id: AlertMessageId; target: string; at: number; limit: number }): Promise<void>;
  /** The oldest message that waits; `null` if none does. */
  next(target: string): Promise<AlertMessage | null>;
  postpone(id: AlertMessageId, failure: { problem: string; dueAt: number }): Promise<void>;
  /** The message was sent, or is given up. */
  remove(id: AlertMessageId): Promise<void>;
}
