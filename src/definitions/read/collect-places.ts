import type { Position } from '../../domain/definitions/diagnostic.ts';
import { isJsonObject, type Json } from '../../domain/json.ts';
import { formatKeyPath, type KeyPath } from '../yaml/key-path.ts';
import type { YamlText } from '../yaml/parse-yaml.ts';

/**
 * Positions in valid front matter of what depends on other files or on a daemon: the entries of `secrets` and `webhook_ids`,
 * the keys of payload filters, and of provider triggers the trigger, its repositories and its names. By key path; the entries
 * of `in` have the same paths as those of a plain list.
 */
export function collectPlaces(yaml: YamlText): ReadonlyMap<string, Position> {
  const places = new Map<string, Position>();
  const { secrets, triggers } = yaml.value as { secrets?: Json; triggers: Json[] };
  addEntries(places, yaml, secrets, ['secrets']);
  for (const [index, trigger] of triggers.entries()) {
    if (!isJsonObject(trigger)) continue;
    const filter = isJsonObject(trigger.filter) ? trigger.filter : {};
    const path = ['triggers', index, 'filter'];
    if (trigger.provider !== 'webhook') {
      places.set(formatKeyPath(['triggers', index]), yaml.locate(['triggers', index]).value);
      for (const key of PLACED_KEYS) addList(places, yaml, filter[key], [...path, key]);
      continue;
    }
    addList(places, yaml, filter.webhook_ids, [...path, 'webhook_ids']);
    addKeys(places, yaml, filter.payload, [...path, 'payload']);
  }
  return places;
}

/** The keys of provider triggers whose entries other files decide about. */
const PLACED_KEYS = ['repos', 'channels', 'users', 'item_users', 'team_ids'];

/** A plain list, or that of `in`. */
function addList(places: Map<string, Position>, yaml: YamlText, list: Json | undefined, path: KeyPath): void {
  if (isJsonObject(list)) addEntries(places, yaml, list.in, path, ['in']);
  else addEntries(places, yaml, list, path);
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
