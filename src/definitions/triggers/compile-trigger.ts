// Triggers of providers. In: a condition, for example `provider: github`, and the tables of events in `providers/`, which are
// data. Out: patterns over headers and payload, evaluated as filters (`definitions/filter/match-payload.ts`).
// Next: `trigger-event.ts` for what a table can say, `serving-webhooks.ts` for which webhooks serve a trigger,
// `resolve-listeners.ts` for the automations of a webhook.

import type { ProviderCondition } from '../../domain/definitions/trigger.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import type { ProviderNames } from '../../domain/resources/provider-names.ts';
import { excludeBots, excludeOwnActions } from './ignored-actors.ts';
import { findTriggerEvent, TRIGGER_PROVIDERS } from './providers.ts';
import { resolveName } from './resolve-name.ts';
import type {
  DeliveryRow,
  FilterKey,
  RequiredValue,
  ServedKey,
  Source,
  TriggerEvent,
  TriggerProvider,
} from './trigger-event.ts';
import type { ProviderEvent, TriggerPattern, ValueCondition } from './trigger-pattern.ts';

/** What a filter lists for one key: `null` for an operator that imposes nothing. */
interface Lists {
  in: readonly string[] | null;
  notIn: readonly string[] | null;
}

/** A key that a filter uses. */
interface UsedKey extends Lists {
  key: string;
  served: ServedKey;
}

/**
 * The patterns of a provider trigger: a delivery starts the automation if it matches one of them. A trigger that cannot be
 * evaluated as a whole has none, because a run for everything is worse than no run.
 */
export function compileTrigger(condition: ProviderCondition): TriggerPattern[] {
  const provider = TRIGGER_PROVIDERS.get(condition.provider);
  const event = findTriggerEvent(condition.provider, condition.event);
  if (provider === undefined || event === null) return [];
  const used = readUsedKeys(event, condition);
  if (used === null) return [];
  const trigger = `${condition.provider} ${condition.event}`;
  return event.deliveries.flatMap((row) =>
    listAlternatives(event, used).map((keys) => ({
      event: { trigger, name: nameDelivery(row), place: placeOfName(provider), value: row.event },
      ...describeDelivery(provider, event, row, used),
      values: [
        ...listRowConditions(row),
        ...excludeOwnActions(provider, condition),
        ...excludeBots(row.bots ?? []),
        ...keys.map((key) => toCondition(key, row)),
        ...requireMention(event, row),
      ],
    })),
  );
}

/** The keys that impose something; `null` if the filter or what the factory says about it cannot be evaluated. */
function readUsedKeys(event: TriggerEvent, condition: ProviderCondition): UsedKey[] | null {
  const { filter, names = {}, repositories = null, botUsername = null } = condition;
  const declared = readFilter(event, filter, names);
  const scoped = declared && addRepositories(event, declared, repositories);
  return scoped && addBot(event, scoped, botUsername);
}

/** `null` if a key is unknown, invalid, or in no payload. */
function readFilter(event: TriggerEvent, filter: JsonObject, names: ProviderNames): UsedKey[] | null {
  const used: UsedKey[] = [];
  for (const [key, declared] of Object.entries(filter)) {
    const known = Object.hasOwn(event.keys, key) ? event.keys[key] : undefined;
    const lists = known === undefined ? null : readLists(known, declared, names);
    if (known === undefined || lists === null) return null;
    if (lists.in === null && lists.notIn === null) continue;
    if ('unserved' in known) return null;
    used.push({ key, served: known, ...lists });
  }
  return used;
}

/** Without `repos`, a trigger is about the repositories of the factory. `null` if these are none that can be read. */
function addRepositories(
  event: TriggerEvent,
  used: UsedKey[],
  repositories: readonly string[] | null,
): UsedKey[] | null {
  const repos = findRepositoryKey(event);
  if (repos === null || repositories === null || used.some(({ key }) => key === 'repos')) return used;
  if (repositories.length === 0) return null;
  return [{ key: 'repos', served: repos, in: repositories, notIn: null }, ...used];
}

/** The key of the repositories of an event; `null` if its deliveries are about none, or do not name it. */
export function findRepositoryKey({ keys: { repos } }: TriggerEvent): ServedKey | null {
  return repos !== undefined && 'form' in repos ? repos : null;
}

/** GitLab has no event for the mention of a certain account. `null` if nothing names it. */
function addBot(
  { needsName, keys: { mentioned } }: TriggerEvent,
  used: UsedKey[],
  bot: string | null,
): UsedKey[] | null {
  if (needsName !== true || mentioned === undefined || 'unserved' in mentioned) return used;
  if (bot === null) return used.some(({ key, in: listed }) => key === 'mentioned' && listed !== null) ? used : null;
  return [
    ...used.filter(({ key }) => key !== 'mentioned'),
    { key: 'mentioned', served: mentioned, in: [bot], notIn: null },
  ];
}

function readLists(known: FilterKey, declared: Json, names: ProviderNames): Lists | null {
  const { in: included = null, not_in: excluded = null } = isJsonObject(declared) ? declared : { in: declared };
  const lists = { in: readList(known, included, names), notIn: readList(known, excluded, names) };
  return lists.in === undefined || lists.notIn === undefined ? null : (lists as Lists);
}

/** `undefined` if it is no list of values of the key. */
function readList(known: FilterKey, list: Json, names: ProviderNames): readonly string[] | null | undefined {
  if (list === null) return null;
  if (!Array.isArray(list)) return undefined;
  if (list.length === 0) return null;
  if ('unserved' in known) return list.map(String);
  const values = list.map((value) => readValue(known, value, names));
  return values.includes(null) ? undefined : (values as string[][]).flat();
}

/** The values of which a payload has one; `null` if the listed value cannot be compared with payloads. */
function readValue(
  { compare, aliases = {}, namesFrom }: ServedKey,
  value: Json,
  names: ProviderNames,
): string[] | null {
  if (compare === 'number') return typeof value === 'number' ? [String(value)] : null;
  if (typeof value !== 'string') return null;
  const trimmed = value.trim();
  if (namesFrom !== undefined) return resolveName(namesFrom, trimmed, names);
  const folded = trimmed.toLowerCase();
  return [Object.hasOwn(aliases, folded) ? aliases[folded]! : trimmed];
}

/**
 * The conditions on keys, once for each choice among keys of which one must match. An ID and its name form are one list, so
 * `in` of either suffices.
 */
function listAlternatives(event: TriggerEvent, used: readonly UsedKey[]): UsedKey[][] {
  let alternatives: UsedKey[][] = [[...used]];
  for (const pair of listPairs(event)) {
    if (!pair.every((key) => used.some((one) => one.key === key && one.in !== null))) continue;
    alternatives = alternatives.flatMap((keys) => pair.map((dropped) => keys.map((one) => withoutIn(one, dropped))));
  }
  return alternatives.map((keys) => keys.filter((one) => one.in !== null || one.notIn !== null));
}

function listPairs({ keys, either }: TriggerEvent): (readonly [string, string])[] {
  const pairs = Object.entries(keys).flatMap(([key, known]) =>
    'unserved' in known || known.nameFormOf === undefined ? [] : [[known.nameFormOf, key] as const],
  );
  return either === undefined ? pairs : [...pairs, either];
}

function withoutIn(one: UsedKey, key: string): UsedKey {
  return one.key === key ? { ...one, in: null } : one;
}

function toCondition({ key, served, in: included, notIn }: UsedKey, row: DeliveryRow): ValueCondition {
  const { compare, subject = key, from, notInFrom = from, whyNone } = served;
  const place = (sources: readonly Source[]) => sources.map((source) => placeText(source, row));
  return {
    key,
    subject,
    compare,
    in: included,
    notIn,
    exists: null,
    from: place(from),
    notInFrom: place(notInFrom),
    ...(whyNone === undefined ? {} : { whyNone }),
  };
}

function placeText(source: Source, { text }: DeliveryRow): Source {
  return source.path === '' ? { ...source, path: text! } : source;
}

function requireMention({ needsMention }: TriggerEvent, { text }: DeliveryRow): ValueCondition[] {
  if (needsMention === undefined) return [];
  return [requireValue('mentioned', { subject: 'a mention', from: [{ path: text!, read: needsMention }] })];
}

function listRowConditions({ requires = [] }: DeliveryRow): ValueCondition[] {
  return requires.map((required) => requireValue('event', required));
}

function requireValue(key: string, required: RequiredValue): ValueCondition {
  return { key, compare: 'exact', in: null, notIn: null, exists: true, notInFrom: [], ...required };
}

/** What headers and payload must have so that a delivery is the event. */
function describeDelivery(
  { eventName }: TriggerProvider,
  { unless }: TriggerEvent,
  { event, when = {} }: DeliveryRow,
  used: readonly UsedKey[],
): Pick<TriggerPattern, 'headers' | 'payload'> {
  const isUsed = unless === undefined || used.some(({ key }) => key === unless.key);
  const required = isUsed ? when : mergePatterns(when, unless.when);
  if ('header' in eventName) return { headers: { [eventName.header.toLowerCase()]: [event] }, payload: required };
  return { headers: {}, payload: mergePatterns(nest(eventName.path.split('.'), [event]), required) };
}

function placeOfName({ eventName }: TriggerProvider): ProviderEvent['place'] {
  return 'header' in eventName
    ? ['headers', eventName.header.toLowerCase()]
    : ['payload', ...eventName.path.split('.')];
}

function nest([key, ...rest]: readonly string[], values: string[]): JsonObject {
  return { [key!]: rest.length === 0 ? values : nest(rest, values) };
}

function mergePatterns(one: JsonObject, other: JsonObject): JsonObject {
  const merged = { ...one };
  for (const [key, condition] of Object.entries(other)) {
    const known = merged[key];
    merged[key] = isJsonObject(known) && isJsonObject(condition) ? mergePatterns(known, condition) : condition;
  }
  return merged;
}

/** As GitHub writes it: `issues.labeled`. */
function nameDelivery({ event, when }: DeliveryRow): string {
  const action = Array.isArray(when?.action) ? when.action[0] : undefined;
  return typeof action === 'string' ? `${event}.${action}` : event;
}
