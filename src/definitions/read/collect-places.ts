import type { Position } from '../../core/diagnostic.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import { formatKeyPath, type KeyPath } from '../../yaml/key-path.ts';
import type { YamlText } from '../../yaml/parse-yaml.ts';

/**
 * Positions in valid front matter that only a daemon can check: the entries of `secrets` and `webhook_ids`, and the keys of
 * payload filters. By key path; the entries of `in` have the same paths as those of a plain list.
 */
export function collectPlaces(yaml: YamlText): ReadonlyMap<string, Position> {
  const places = new Map<string, Position>();
  const { secrets, triggers } = yaml.value as { secrets?: Json; triggers: Json[] };
  addEntries(places, yaml, secrets, ['secrets']);
  for (const [index, trigger] of triggers.entries()) {
    const filter = isJsonObject(trigger) && trigger.provider === 'webhook' ? trigger.filter : undefined;
    if (!isJsonObject(filter)) continue;
    const path = ['triggers', index, 'filter'];
    const ids = filter.webhook_ids;
    if (isJsonObject(ids)) addEntries(places, yaml, ids.in, [...path, 'webhook_ids'], ['in']);
    else addEntries(places, yaml, ids, [...path, 'webhook_ids']);
    addKeys(places, yaml, filter.payload, [...path, 'payload']);
  }
  return places;
}

/** @param below the steps from `path` to the list */
function addEntries(
  places: Map<string, Position>,
  yaml: YamlText,
  list: Json | undefined,
  path: KeyPath,
  below: KeyPath = [],
): void {
  if (!Array.isArray(list)) return;
  for (const index of list.keys()) {
    places.set(formatKeyPath([...path, index]), yaml.locate([...path, ...below, index]).value);
  }
}

function addKeys(places: Map<string, Position>, yaml: YamlText, value: Json | undefined, path: KeyPath): void {
  if (value === undefined || !isJsonObject(value)) return;
  for (const [key, child] of Object.entries(value)) {
    const place = [...path, key];
    places.set(formatKeyPath(place), yaml.locate(place).key);
    addKeys(places, yaml, child, place);
  }
}
