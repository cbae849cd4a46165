import type { ProviderTrigger } from '../../domain/definitions/trigger.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import type { NameKind } from '../../domain/resources/provider-names.ts';
import { compileTrigger, findRepositoryKey } from './compile-trigger.ts';
import { findTriggerEvent, TRIGGER_PROVIDERS } from './providers.ts';
import { resolveName } from './resolve-name.ts';
import { findServingWebhooks, type ServingKeys } from './serving-webhooks.ts';
import type { TriggerEvent } from './trigger-event.ts';

/** A webhook of the factory, as far as it matters for the triggers that it serves. */
export type ServingWebhook = ServingKeys & { name: string; enabled: boolean };

/** Why a provider trigger starts nothing from a webhook, or from any. */
export type Obstacle =
  /** Its provider, event or filter is not one that this version can evaluate. The file has findings about that. */
  | { kind: 'not-evaluated'; why: string }
  | { kind: 'no-webhook' }
  | { kind: 'disabled'; webhook: string }
  | { kind: 'no-bot'; webhook: string }
  | { kind: 'no-repositories' }
  | UnmappedName;

/** A name in a filter that a webhook does not map to an ID. */
interface UnmappedName {
  kind: 'unmapped-name';
  webhook: string;
  /** The key of the filter, and the index of the name in its list. */
  key: string;
  index: number;
  name: string;
  names: NameKind;
}

/** Which webhooks serve a provider trigger, and what is in the way of others. */
interface ServedTrigger<Webhook> {
  /** The enabled webhooks from which it can start. */
  servedBy: Webhook[];
  /** In the order of the webhooks. If `servedBy` is empty, the first one is the reason. */
  obstacles: Obstacle[];
}

/**
 * @param repositories as in `FactoryDefinition`
 * @param webhooks of the factory
 */
export function explainServing<Webhook extends ServingWebhook>(
  trigger: Pick<ProviderTrigger, 'provider' | 'declared'>,
  webhooks: readonly Webhook[],
  repositories: readonly string[] | null,
): ServedTrigger<Webhook> {
  const why = explainNotEvaluated(trigger);
  if (why !== null) return { servedBy: [], obstacles: [{ kind: 'not-evaluated', why }] };
  const serving = findServingWebhooks(trigger.provider, webhooks);
  if (serving.length === 0) return { servedBy: [], obstacles: [{ kind: 'no-webhook' }] };
  const found = serving.map((webhook) => ({ webhook, obstacles: findObstacles(trigger, webhook, repositories) }));
  return {
    servedBy: found.filter(({ obstacles }) => obstacles.length === 0).map(({ webhook }) => webhook),
    obstacles: found.flatMap(({ obstacles }) => obstacles),
  };
}

/** The IDs that webhooks map the names of the filter to, by name. */
export function listResolvedNames(
  { provider, declared }: Pick<ProviderTrigger, 'provider' | 'declared'>,
  webhooks: readonly Pick<ServingWebhook, 'names'>[],
): { [name: string]: string[] } {
  const keys = findTriggerEvent(provider, declared.event)?.keys ?? {};
  const resolved = new Map<string, string[]>();
  for (const { names: kind, value } of listNames(keys, filterOf(declared))) {
    const ids = webhooks.flatMap(({ names }) => resolveName(kind, value, names ?? {}) ?? []);
    const mapped = [...new Set(ids)].filter((id) => id !== value);
    if (mapped.length > 0) resolved.set(value, mapped);
  }
  return Object.fromEntries(resolved);
}

/** The reason as the end of a sentence about the trigger. */
export function sayObstacle(obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case 'not-evaluated':
      return obstacle.why;
    case 'no-webhook':
      return 'no webhook serves it';
    case 'disabled':
      return `webhooks/${obstacle.webhook}.yaml serves it, but is disabled`;
    case 'no-bot':
      return `webhooks/${obstacle.webhook}.yaml has no botUsername, and the filter has no "mentioned"`;
    case 'no-repositories':
      return 'factory.yaml lists no repository that can be read';
    case 'unmapped-name':
      return `webhooks/${obstacle.webhook}.yaml does not map the name ${JSON.stringify(obstacle.name)} to an ID`;
  }
}

const UNKNOWN_EVENT = 'this version does not know its event';

/** `null` if the provider serves the event, and payloads have the keys of the filter. */
function explainNotEvaluated({ provider, declared }: Pick<ProviderTrigger, 'provider' | 'declared'>): string | null {
  if (provider === 'factory') return 'Dockbell has no work items';
  if (provider === 'schedule') return UNKNOWN_EVENT;
  const known = TRIGGER_PROVIDERS.get(provider);
  if (known === undefined) return 'this version does not know its provider';
  const event = findTriggerEvent(provider, declared.event);
  if (event === null) return UNKNOWN_EVENT;
  if (event.unserved !== undefined) return event.unserved;
  const unserved = Object.entries(filterOf(declared)).find(([key, condition]) => {
    const row = Object.hasOwn(event.keys, key) ? event.keys[key] : undefined;
    return row !== undefined && 'unserved' in row && listValues(condition).length > 0;
  });
  return unserved === undefined ? null : `its filter key "${unserved[0]}" cannot be evaluated`;
}

function filterOf({ filter = null }: JsonObject): JsonObject {
  return isJsonObject(filter) ? filter : {};
}

/** Does the trigger match the repositories of the factory? It does if its filter lists none. */
export function matchesFactoryRepositories({
  provider,
  declared,
}: Pick<ProviderTrigger, 'provider' | 'declared'>): boolean {
  const event = findTriggerEvent(provider, declared.event);
  if (event === null || findRepositoryKey(event) === null) return false;
  return listValues(filterOf(declared).repos ?? null).length === 0;
}

function findObstacles(
  { provider, declared }: Pick<ProviderTrigger, 'provider' | 'declared'>,
  { name: webhook, enabled, names, botUsername }: ServingWebhook,
  repositories: readonly string[] | null,
): Obstacle[] {
  const disabled: Obstacle[] = enabled ? [] : [{ kind: 'disabled', webhook }];
  const filter = filterOf(declared);
  const condition = {
    provider,
    event: declared.event as string,
    filter,
    ...(names === null ? {} : { names }),
    ...(botUsername === null ? {} : { botUsername }),
  };
  const scoped = repositories === null ? condition : { ...condition, repositories: [...repositories] };
  if (compileTrigger(scoped).length > 0) return disabled;
  const unmapped = listUnmapped(findTriggerEvent(provider, declared.event)!, filter, { webhook, names });
  if (unmapped.length > 0) return [...disabled, ...unmapped];
  if (compileTrigger(condition).length > 0) return [...disabled, { kind: 'no-repositories' }];
  const event = findTriggerEvent(provider, declared.event)!;
  if (event.needsName === true && botUsername === null) return [...disabled, { kind: 'no-bot', webhook }];
  return [...disabled, { kind: 'not-evaluated', why: 'its filter is not valid' }];
}

function listUnmapped(
  { keys }: TriggerEvent,
  filter: JsonObject,
  { webhook, names: known }: Pick<ServingWebhook, 'names'> & { webhook: string },
): UnmappedName[] {
  return listNames(keys, filter)
    .filter(({ names, value }) => resolveName(names, value, known ?? {}) === null)
    .map(({ key, index, value, names }) => ({ kind: 'unmapped-name', webhook, key, index, name: value, names }));
}

/** The values of a filter that can be names. */
function listNames(
  keys: TriggerEvent['keys'],
  filter: JsonObject,
): { key: string; names: NameKind; value: string; index: number }[] {
  return Object.entries(filter).flatMap(([key, condition]) => {
    const row = Object.hasOwn(keys, key) ? keys[key] : undefined;
    const names = row !== undefined && 'namesFrom' in row ? row.namesFrom : undefined;
    if (names === undefined) return [];
    return listValues(condition).flatMap(({ value, index }) =>
      typeof value === 'string' ? [{ key, names, value, index }] : [],
    );
  });
}

/** What both operators of a condition list. */
function listValues(condition: Json): { value: Json; index: number }[] {
  const lists = isJsonObject(condition) ? Object.values(condition) : [condition];
  return lists.flatMap((list) => (Array.isArray(list) ? list.map((value, index) => ({ value, index })) : []));
}
