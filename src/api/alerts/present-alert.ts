import type { Alert } from '../../domain/messages/alert.ts';
import { ALERT_RULES } from '../../domain/messages/alert-rules.ts';
import type { AlertTargetState } from '../../domain/ports/messages.ts';
import { formatInstant } from '../../domain/time/clock.ts';

/** An alert in an answer. */
export function presentAlert(alert: Alert) {
  const { title, severity, about, advice } = ALERT_RULES[alert.rule];
  const { object, objectId, acknowledgedBy: by } = alert;
  return {
    id: alert.id,
    rule: alert.rule,
    title,
    severity,
    state: alert.state,
    factory: alert.factory,
    object: object === null ? null : { kind: about, name: object, id: objectId ?? object },
    summary: alert.summary,
    advice,
    opened_at: formatInstant(alert.openedAt),
    last_seen_at: formatInstant(alert.lastSeenAt),
    clear_since: formatOrNull(alert.clearSince),
    resolved_at: formatOrNull(alert.resolvedAt),
    count: alert.count,
    acknowledged_at: formatOrNull(alert.acknowledgedAt),
    acknowledged_by: by === null ? null : { kind: by.kind, id: by.id, name: by.name },
    note: alert.note,
  };
}

/** A target in an answer. */
export function presentTarget({ name, type, failure }: AlertTargetState) {
  return {
    name,
    type,
    problem: failure?.problem ?? null,
    failing_since: failure === null ? null : formatInstant(failure.since),
  };
}

function formatOrNull(at: number | null): string | null {
  return at === null ? null : formatInstant(at);
}
