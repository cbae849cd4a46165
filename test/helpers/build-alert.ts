import type { Alert } from '../../src/domain/messages/alert.ts';
import { ids, START_MS } from './build-offer.ts';

/** An open alert about an automation of the factory `payments`. `more` overrides the defaults. */
export function buildAlert(more: Partial<Alert> = {}): Alert {
  return {
    id: ids.alertId(START_MS),
    rule: 'runFailed',
    factory: 'payments',
    object: 'fix-errors',
    objectId: null,
    state: 'open',
    summary: 'The last run failed.',
    openedAt: START_MS,
    lastSeenAt: START_MS,
    clearSince: null,
    resolvedAt: null,
    count: 1,
    notifiedAt: START_MS,
    acknowledgedAt: null,
    acknowledgedBy: null,
    note: null,
    ...more,
  };
}
