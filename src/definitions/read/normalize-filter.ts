import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import { normalizeListed } from '../check/check-trigger-filter.ts';
import type { FilterPattern, PatternField, Scalar } from '../filter/pattern.ts';
import { findTriggerEvent, TRIGGER_PROVIDERS } from '../triggers/providers.ts';
import type { FilterKey } from '../triggers/trigger-event.ts';

/**
 * A filter as a text. It is the same for all filters that differ only in the order of keys and values, and in the case of
 * the names of headers.
 */
export function normalizeFilter({ headers, payload }: FilterPattern): string {
  return JSON.stringify([normalizeFields(headers), normalizeFields(payload)]);
}

function normalizeFields(fields: readonly PatternField[]): Json {
  const sorted = [...fields].sort((a, b) => (a.key < b.key ? -1 : 1));
  return sorted.map(({ key, condition }): Json => {
    if (condition.kind === 'object') return [key, normalizeFields(condition.fields)];
    const { in: included, notIn, ...others } = condition;
    return [key, normalizeValues(included), normalizeValues(notIn), others];
  });
}

/** Scalars are equal exactly if their JSON texts are equal. */
function normalizeValues(values: readonly Scalar[] | null): Json {
  return values === null ? null : [...new Set(values.map((value) => JSON.stringify(value)))].sort();
}

/**
 * A valid trigger of a provider as a text. It is the same for all triggers that differ only in the order of keys and values, and in
 * a letter case that the key ignores. Conditions that impose nothing do not count. `null` if this version does
 * not know the event.
 */
export function normalizeProviderTrigger({ provider, event, filter = null }: JsonObject): string | null {
  const table = TRIGGER_PROVIDERS.get(String(provider));
  const known = findTriggerEvent(provider, event);
  if (table === undefined || known === null) return null;
  const declared = isJsonObject(filter) ? filter : {};
  const keys = Object.entries(declared).flatMap(([key, condition]): Json[] => {
    const { in: included = null, not_in: excluded = null } = isJsonObject(condition) ? condition : { in: condition };
    const lists = [included, excluded].map((list) => normalizeList(known.keys[key], list));
    return lists.every((list) => list === null) ? [] : [[key, ...lists]];
  });
  // Two names of a provider have one table.
  return `${table.title} ${String(event)} ${JSON.stringify(keys.sort(compareTexts))}`;
}

function normalizeList(known: FilterKey | undefined, list: Json): Json {
  if (!Array.isArray(list) || list.length === 0) return null;
  const isServed = known !== undefined && !('unserved' in known);
  return [...new Set(list.map((value) => JSON.stringify(isServed ? normalizeListed(known, value) : value)))].sort();
}

function compareTexts(one: Json, other: Json): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
