import type { JsonObject } from '../../domain/json.ts';
import { findTriggerEvent, TRIGGER_PROVIDERS } from './providers.ts';
import type { DeliveryRow, TriggerProvider } from './trigger-event.ts';

/** A trigger for people: `github issue_labeled`. */
export function nameTrigger({ provider, event }: JsonObject): string {
  return typeof event === 'string' ? `${String(provider)} ${event}` : String(provider);
}

/** What the provider sends for the event of a trigger, for example `X-GitHub-Event: issues, action labeled`. */
export function describeEvents({ provider, event }: JsonObject): string[] {
  const known = TRIGGER_PROVIDERS.get(String(provider));
  const row = findTriggerEvent(provider, event);
  return known === undefined || row === null
    ? []
    : [...new Set(row.deliveries.map((delivery) => describeDelivery(known, delivery)))];
}

/** What a webhook needs so that the provider sends the event of a trigger; `null` if any gets it. */
export function findNote({ provider, event }: JsonObject): string | null {
  return findTriggerEvent(provider, event)?.note ?? null;
}

function describeDelivery({ eventName }: TriggerProvider, { event, when }: DeliveryRow): string {
  const place = 'header' in eventName ? eventName.header : eventName.path;
  const actions = Array.isArray(when?.action) ? `, action ${when.action.join(' or ')}` : '';
  return `${place}: ${event}${actions}`;
}
