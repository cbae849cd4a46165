import type { Actor } from '../access/access.ts';
import type { AlertId, AlertMessageId } from '../ids.ts';
import type { AlertRule } from './alert-rules.ts';

/** `acknowledged`: somebody takes care of it; it is not repeated. `resolved`: what it is about has ended. */
export const ALERT_STATES = ['open', 'acknowledged', 'resolved'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** One alert for each rule and object. An alert that is not resolved is active. Instants are wall time in milliseconds. */
export interface Alert {
  id: AlertId;
  rule: AlertRule;
  /** `null` for an alert about the whole installation. */
  factory: string | null;
  /** Name of the webhook, automation or token; `null` for an alert about a factory or the installation. */
  object: string | null;
  /** ID of the object, if it is not its name. */
  objectId: string | null;
  state: AlertState;
  /** What was found last, one sentence. Contains names from outside the daemon, and no secret. */
  summary: string;
  openedAt: number;
  /** When it was last found. Written at most every few minutes while nothing else changes. */
  lastSeenAt: number;
  /** Since when it is no longer found; `null` while it is. */
  clearSince: number | null;
  resolvedAt: number | null;
  /** How often it was found again after it had ended for a short time; 1 at first. */
  count: number;
  /** When a message about it was last queued. */
  notifiedAt: number;
  acknowledgedAt: number | null;
  acknowledgedBy: Actor | null;
  note: string | null;
}

/** Why an alert is in a message. */
const ALERT_EVENTS = ['opened', 'repeated', 'resolved'] as const;
export type AlertEvent = (typeof ALERT_EVENTS)[number];

/** An alert that is to be part of the next message to a target. */
export interface AlertNotice {
  /** Name of the target in the configuration. */
  target: string;
  alert: AlertId;
  event: AlertEvent;
  /** The message is composed then, with all notifications that wait. */
  dueAt: number;
}

/** An alert as a message shows it. It is stored with the message, so that a retry sends the same. */
export interface AlertItem
  extends Pick<
    Alert,
    'id' | 'rule' | 'factory' | 'object' | 'objectId' | 'summary' | 'openedAt' | 'resolvedAt' | 'count'
  > {
  event: AlertEvent;
}

/** A message to one target. */
export interface AlertMessage {
  id: AlertMessageId;
  target: string;
  items: AlertItem[];
  createdAt: number;
  /** Number of failed attempts. */
  attempts: number;
  dueAt: number;
  /** Why the last attempt failed; `null` if none failed. */
  problem: string | null;
}
