import { compileTrigger } from '../../definitions/triggers/compile-trigger.ts';
import { TRIGGER_PROVIDERS } from '../../definitions/triggers/providers.ts';
import { type DeliveryFilter, type ProviderCondition, triggerFilters } from '../../domain/definitions/trigger.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { ConnectProvider, NeededEvent } from '../../domain/ports/webhook-connector.ts';
import type { AppliedAutomation } from '../../domain/resources/automation.ts';
import type { AppliedWebhook } from '../../domain/resources/webhook.ts';
import type { EventPlace, EventTable, FactorySetting } from './hook-provider.ts';

/** The events that the automations of a factory need from a webhook. */
export interface WantedEvents {
  /** As the provider registers them. */
  events: string[];
  /** Does a trigger accept every event? */
  isAll: boolean;
  neededBy: NeededEvent[];
  notes: string[];
}

interface Webhook extends Pick<AppliedWebhook, 'uid'> {
  /** The settings of the factory that need events of this webhook. */
  settings: readonly FactorySetting[];
}

type Automation = Pick<AppliedAutomation, 'name' | 'enabled' | 'triggers' | 'listensTo'>;

/** Names of events as deliveries have them, and the place; `null` for all events. */
type Named = { place: EventPlace; names: readonly string[] } | null;

/** A trigger to which the webhook delivers. */
interface Listener {
  automation: string;
  trigger: string;
  named: Named;
}

/** What a factory needs from a webhook at the provider: its enabled automations, and its settings. */
export function collectEvents(
  provider: ConnectProvider,
  table: EventTable,
  webhook: Webhook,
  automations: readonly Automation[],
): WantedEvents {
  const listeners = automations.flatMap((automation) => listListeners(provider, table, webhook, automation));
  const needed = listeners.map(({ automation, trigger, named }) => ({
    events: registerNamed(table, named).map((event) => ({ event, automation, trigger })),
    notes: describeListener(table, automation, named),
  }));
  const neededBy = [...needed.flatMap(({ events }) => events), ...listSettings(table, webhook)];
  const isAll = listeners.some(({ named }) => named === null);
  return {
    events: [...new Set(isAll ? table.all : neededBy.map(({ event }) => event))].sort(),
    isAll,
    neededBy: withoutRepeats(neededBy),
    notes: [...new Set(needed.flatMap(({ notes }) => notes))],
  };
}

function listSettings(table: EventTable, { settings }: Webhook): NeededEvent[] {
  return settings.flatMap((trigger) => {
    const event = table.settings[trigger];
    return event === null ? [] : [{ event, automation: null, trigger }];
  });
}

function listListeners(
  provider: ConnectProvider,
  table: EventTable,
  webhook: Webhook,
  { name: automation, enabled, triggers, listensTo }: Automation,
): Listener[] {
  if (!enabled) return [];
  return triggers.flatMap((trigger, index) => {
    const [filter] = triggerFilters({ triggers: [trigger], listensTo: [listensTo[index] ?? []] }, webhook.uid);
    if (filter === undefined) return [];
    const { trigger: condition } = filter;
    if (condition === undefined) return [{ automation, trigger: 'webhook', named: readFilter(table, filter) }];
    if (!isOf(condition, provider)) return [];
    const named = readCondition(table, condition);
    return [{ automation, trigger: `${provider} ${condition.event}`, named }];
  });
}

/** The names under which the provider registers the events. All of them if `*` or each of them is needed. */
function registerNamed({ all }: EventTable, named: Named): readonly string[] {
  return named === null ? all : named.names.flatMap((name) => registeredNames(named.place, name));
}

function registeredNames({ registeredAs }: EventPlace, name: string): readonly string[] {
  return registeredAs === null ? [name] : (registeredAs.get(name) ?? []);
}

function describeListener(table: EventTable, automation: string, named: Named): string[] {
  if (named === null) return [describeAll(automation, table)];
  const missing = named.names.filter((name) => registeredNames(named.place, name).length === 0);
  return missing.map((name) => describeMissing(table, name, automation));
}

function isOf(condition: ProviderCondition, provider: string): boolean {
  return TRIGGER_PROVIDERS.get(condition.provider) === TRIGGER_PROVIDERS.get(provider);
}

/** The kinds of deliveries that a trigger of the provider takes. None for a trigger that can never start. */
function readCondition({ places }: EventTable, condition: ProviderCondition): Named {
  const place = places[0]!;
  const names = compileTrigger(condition).flatMap(({ headers, payload }) => listNames(place, headers, payload) ?? []);
  return { place, names: [...new Set(names)] };
}

/** The kinds of deliveries that a trigger of the webhook lists. */
function readFilter({ places }: EventTable, { headers = {}, payload = {} }: DeliveryFilter): Named {
  for (const place of places) {
    const names = listNames(place, headers, payload);
    if (names !== null) return { place, names };
  }
  return null;
}

/** The values that a filter lists at a place; `null` if it does not list the accepted ones. */
function listNames({ header, path }: EventPlace, headers: JsonObject, payload: JsonObject): readonly string[] | null {
  const condition = header === undefined ? findCondition(payload, path!.split('.')) : findHeader(headers, header);
  const listed = isJsonObject(condition) ? condition.in : condition;
  return Array.isArray(listed) ? listed.filter((name) => typeof name === 'string') : null;
}

function findHeader(headers: JsonObject, name: string): unknown {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

function findCondition(payload: JsonObject, [key, ...rest]: readonly string[]): unknown {
  const found = Object.hasOwn(payload, key!) ? payload[key!] : undefined;
  if (rest.length === 0) return found;
  return isJsonObject(found) ? findCondition(found, rest) : undefined;
}

function describeAll(automation: string, { places }: EventTable): string {
  const [{ header, path }] = places as [EventPlace];
  const place = header === undefined ? `the payload key ${path}` : `the header ${header}`;
  return `The automation ${automation} has a webhook trigger that lists no values of ${place}, so all events are registered.`;
}

function describeMissing({ unregistrable }: EventTable, name: string, automation: string): string {
  const why = unregistrable.get(name) ?? `The event ${JSON.stringify(name)} cannot be registered.`;
  return `${why} The automation ${automation} needs it.`;
}

function withoutRepeats(neededBy: readonly NeededEvent[]): NeededEvent[] {
  const byText = new Map(neededBy.map((one) => [JSON.stringify(one), one]));
  return [...byText.values()].sort((a, b) => order(a, b));
}

function order(a: NeededEvent, b: NeededEvent): number {
  const [one, other] = [a, b].map(({ event, automation, trigger }) => `${event}\n${automation}\n${trigger}`);
  return one! < other! ? -1 : 1;
}
