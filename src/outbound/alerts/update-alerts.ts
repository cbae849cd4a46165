import type { AlertId } from '../../domain/ids.ts';
import type { Alert } from '../../domain/messages/alert.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { Examination } from './examine-rules.ts';
import type { Finding } from './rules/finding.ts';

/** While nothing else changes, `lastSeenAt` is written in this interval. */
const SEEN_INTERVAL_MS = 5 * 60_000;
const MAX_SUMMARY = 500;
const MAX_OBJECT = 200;
/** Alerts that are not resolved. Further ones open when others end. */
export const MAX_ACTIVE = 2000;

interface UpdateTerms {
  nowMs: number;
  resolveAfterMs: number;
  repeatIntervalMs: number;
  newId(): AlertId;
}

/** How the alerts change. */
export interface AlertUpdate {
  opened: Alert[];
  /** Includes those in `resolved` and `repeated`. */
  changed: Alert[];
  resolved: Alert[];
  /** Open alerts whose message is due again. */
  repeated: Alert[];
}

/**
 * Compares what was found with the active alerts: opens new ones, continues those that exist, and resolves those whose
 * cause has ended for some time. A cause that returns within this time continues its alert without a message.
 *
 * ```
 *  found           acknowledge
 *  ─────▶ open ───────────────────▶ acknowledged
 *         │  ▲                       │  ▲
 *         ▼  │ found again           ▼  │ found again       not found: `clearSince`
 *        clearing                   clearing
 *         │                          │
 *         └─────────▶ resolved ◀─────┘                      not found for `resolveAfterMs`
 * ```
 *
 * While it is open, its message is repeated after each `repeatIntervalMs`. A cause that returns after the end opens another alert.
 */
export function updateAlerts(
  active: readonly Alert[],
  examinations: readonly Examination[],
  terms: UpdateTerms,
): AlertUpdate {
  const update: AlertUpdate = { opened: [], changed: [], resolved: [], repeated: [] };
  const byKey = new Map(active.map((alert) => [keyOf(alert.rule, alert), alert]));
  for (const { rule, factory, findings } of examinations) {
    const found = new Map(findings.map((finding) => [keyOf(rule, finding), finding]));
    for (const [key, finding] of found) {
      const alert = byKey.get(key);
      if (alert !== undefined) continueAlert(alert, finding, terms, update);
      else if (active.length + update.opened.length < MAX_ACTIVE) update.opened.push(openAlert(rule, finding, terms));
    }
    for (const [key, alert] of byKey) {
      const isCovered = alert.rule === rule && (factory === undefined || alert.factory === factory);
      if (isCovered && !found.has(key)) clearAlert(alert, terms, update);
    }
  }
  return update;
}

function keyOf(rule: string, { factory, object, objectId }: Omit<Finding, 'summary'>): string {
  return JSON.stringify([rule, factory, objectId ?? object]);
}

function openAlert(rule: Alert['rule'], finding: Finding, { nowMs, newId }: UpdateTerms): Alert {
  return {
    id: newId(),
    rule,
    factory: finding.factory,
    object: finding.object === null ? null : clip(finding.object, MAX_OBJECT),
    objectId: finding.objectId,
    state: 'open',
    summary: clip(finding.summary, MAX_SUMMARY),
    openedAt: nowMs,
    lastSeenAt: nowMs,
    clearSince: null,
    resolvedAt: null,
    count: 1,
    notifiedAt: nowMs,
    acknowledgedAt: null,
    acknowledgedBy: null,
    note: null,
  };
}

function continueAlert(alert: Alert, finding: Finding, terms: UpdateTerms, update: AlertUpdate): void {
  const { nowMs, repeatIntervalMs } = terms;
  const returned = alert.clearSince !== null;
  const isDue = alert.state === 'open' && nowMs - alert.notifiedAt >= repeatIntervalMs;
  if (!returned && !isDue && nowMs - alert.lastSeenAt < SEEN_INTERVAL_MS) return;
  const next: Alert = {
    ...alert,
    summary: clip(finding.summary, MAX_SUMMARY),
    lastSeenAt: nowMs,
    clearSince: null,
    count: alert.count + Number(returned),
    notifiedAt: isDue ? nowMs : alert.notifiedAt,
  };
  update.changed.push(next);
  if (isDue) update.repeated.push(next);
}

function clearAlert(alert: Alert, { nowMs, resolveAfterMs }: UpdateTerms, update: AlertUpdate): void {
  const clearSince = alert.clearSince ?? nowMs;
  // A clock that was set back starts the time again.
  const isOver = nowMs - clearSince >= resolveAfterMs;
  if (isOver) {
    const resolved: Alert = { ...alert, state: 'resolved', clearSince, resolvedAt: nowMs };
    update.changed.push(resolved);
    update.resolved.push(resolved);
  } else if (alert.clearSince === null || clearSince > nowMs) update.changed.push({ ...alert, clearSince: nowMs });
}

/** Texts from outside become one line without control characters. */
function clip(text: string, max: number): string {
  const line = escapeText(text.replaceAll(/\s+/g, ' '));
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}
