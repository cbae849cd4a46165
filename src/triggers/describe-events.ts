import type { JsonObject } from '../core/json.ts';
import { TRIGGER_PROVIDERS } from './providers.ts';
import type { DeliveryRow, TriggerProvider } from './trigger-event.ts';

/** A trigger for people: `github issue_labeled`. */
export function nameTrigger({ provider, event }: JsonObject): string {
  return typeof event === 'string' ? `${String(provider)} ${event}` : String(provider);
}

/** What the provider sends for the event of a trigger, for example `X-GitHub-Event: issues, action labeled`. */
export function describeEvents({ provider, event }: JsonObject): string[] {
  const known = TRIGGER_PROVIDERS.get(String(provider));
  const events = known?.events ?? {};
  const row = typeof event === 'string' && Object.hasOwn(events, event) ? events[event] : undefined;
  return known === undefined || row === undefined
    ? []
    : [...new Set(row.deliveries.map((delivery) => describeDelivery(known, delivery)))];
}

/** What a webhook needs so that the provider sends the event of a trigger; `null` if any gets it. */
export function findNote({ provider, event }: JsonObject): string | null {
  const events = TRIGGER_PROVIDERS.get(String(provider))?.events ?? {};
  return (typeof event === 'string' && Object.hasOwn(events, event) && events[event]?.note) || null;
}

function describeDelivery({ eventName }: TriggerProvider, { event, when }: DeliveryRow): string {
  const place = 'header' in eventName ? eventName.header : eventName.path;
  const actions = Array.isArray(when?.action) ? `, action ${when.action.join(' or ')}` : '';
  return `${place}: ${event}${actions}`;
}
