import type { AutomationDefinition } from '../../domain/definitions/definition.ts';
import { isWebhookTrigger } from '../../domain/definitions/trigger.ts';
import { isWebhookUid } from '../../domain/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import type { FilterPattern } from '../filter/pattern.ts';
import type { KeyPath } from '../yaml/key-path.ts';
import type { YamlText } from '../yaml/parse-yaml.ts';
import { type AutomationLinks, type LinkedTrigger, PlacedTextList, type ReferenceList } from './file-result.ts';
import { normalizeFilter, normalizeProviderTrigger } from './normalize-filter.ts';

/** The valid filters of a front matter, by their declaration. */
export type Patterns = ReadonlyMap<JsonObject, FilterPattern>;

/** What the rules across files compare in a front matter. `definition` is `null` if it is invalid. */
export function collectLinks(
  yaml: YamlText,
  definition: AutomationDefinition | null,
  patterns: Patterns,
): AutomationLinks {
  const references = listWebhookFilters(yaml.value).flatMap(({ filter, path }) =>
    collectReferences(filter, path, yaml),
  );
  const triggers = definition === null ? [] : collectTriggers(definition, yaml, patterns);
  const locate = (key: string) => (isJsonObject(yaml.value) && key in yaml.value ? yaml.locate([key]).value : null);
  const namedAt = { agent: locate('agent'), runner: locate('runner') };
  return { references, triggersAt: yaml.locate(['triggers']).key, namedAt, triggers };
}

/** The `filter` maps of the webhook triggers in a front matter of any form. */
export function listWebhookFilters(value: Json): { filter: JsonObject; path: KeyPath }[] {
  const triggers = isJsonObject(value) && Array.isArray(value.triggers) ? value.triggers : [];
  return triggers.flatMap((trigger, index) =>
    isJsonObject(trigger) && trigger.provider === 'webhook' && isJsonObject(trigger.filter)
      ? [{ filter: trigger.filter, path: ['triggers', index, 'filter'] }]
      : [],
  );
}

function collectReferences(filter: JsonObject, path: KeyPath, yaml: YamlText): ReferenceList[] {
  const { webhook_ids: ids, webhooks } = filter;
  const isMap = isJsonObject(ids);
  const [uids, uidPath] = [isMap ? ids.in : ids, isMap ? ['webhook_ids', 'in'] : ['webhook_ids']];
  return [
    ...collectTexts('malformed-uids', uids, [...path, ...uidPath], yaml),
    ...collectTexts('names', webhooks, [...path, 'webhooks'], yaml),
  ];
}

/** The strings of a list. The schema has reported values of other types. */
function collectTexts(
  kind: ReferenceList['kind'],
  list: Json | undefined,
  path: KeyPath,
  yaml: YamlText,
): ReferenceList[] {
  if (!Array.isArray(list)) return [];
  const entries = new PlacedTextList();
  for (const [index, text] of list.entries()) {
    if (typeof text !== 'string' || (kind === 'malformed-uids' && isWebhookUid(text))) continue;
    entries.add(text, index, yaml.locate([...path, index]).value);
  }
  const placed = entries.toTexts();
  return placed.texts.length === 0 ? [] : [{ kind, path, entries: placed }];
}

const EMPTY_PATTERN: FilterPattern = { headers: [], payload: [], event: null, values: [] };

function collectTriggers({ triggers }: AutomationDefinition, yaml: YamlText, patterns: Patterns): LinkedTrigger[] {
  const declared = new Map(listWebhookFilters(yaml.value).map(({ filter, path }) => [path[1], filter]));
  return triggers.flatMap((trigger, index) => {
    const filter = isWebhookTrigger(trigger)
      ? normalizeFilter(patterns.get(declared.get(index)!) ?? EMPTY_PATTERN)
      : normalizeProviderTrigger(trigger.declared);
    return filter === null ? [] : [{ index, at: yaml.locate(['triggers', index]).value, filter }];
  });
}
