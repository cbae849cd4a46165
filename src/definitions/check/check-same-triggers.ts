import type { AutomationDefinition } from '../../core/definition.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { isWebhookTrigger, type WebhookTrigger } from '../../core/trigger.ts';
import { parsePattern } from '../../filter/parse-pattern.ts';
import type { PatternField, Scalar } from '../../filter/pattern.ts';
import { quote } from '../../yaml/key-path.ts';
import type { YamlText } from '../../yaml/parse-yaml.ts';
import type { Findings } from '../findings.ts';
import type { CheckedAutomation, References } from './check-references.ts';

/**
 * Warns about every enabled automation that listens to a webhook with the filter of an earlier one: each delivery then
 * starts both, which is seldom meant. And about triggers that are repeated within one. Compared by text, so that 5,000
 * automations take one pass; the order of keys, webhooks and listed values does not count.
 */
export function checkSameTriggers(automations: readonly CheckedAutomation[], references: References): void {
  const firsts: Firsts = { whole: new Map(), single: new Map() };
  for (const { definition, yaml, findings } of automations) {
    if (definition === null || yaml === null || !definition.enabled) continue;
    const triggers = definition.triggers.filter(isWebhookTrigger);
    if (triggers.length === 0) continue;
    const spelt = triggers.map((trigger) => spellTrigger(trigger, references));
    const fingerprints = spelt.map(({ listened, filter }) => `${listened.join(' ')}\n${filter}`);
    const unique = [...new Set(fingerprints)];
    if (unique.length < fingerprints.length) reportRepeated(definition, fingerprints, yaml, findings);
    const singles = spelt.flatMap(listSingles);
    const message = findAlike(definition, unique.sort().join('\n'), singles, firsts);
    if (message === null) continue;
    const hint = 'Remove one, disable one, or give them different payload filters.';
    const { key: at } = yaml.locate(['triggers']);
    findings.add({ rule: 'automation/same-trigger', at, path: ['triggers'], message, hint });
  }
}

/** The first automation with all of some triggers, and the first one with a webhook and a filter. */
interface Firsts {
  whole: Map<string, AutomationDefinition>;
  single: Map<string, AutomationDefinition>;
}

/** What an earlier automation has in common with this one, which counts as an earlier one from now on. */
function findAlike(
  definition: AutomationDefinition,
  fingerprint: string,
  singles: readonly Single[],
  { whole, single }: Firsts,
): string | null {
  const same = whole.get(fingerprint);
  const shared = singles.find(({ key }) => single.has(key));
  if (same === undefined) whole.set(fingerprint, definition);
  for (const { key } of singles) if (!single.has(key)) single.set(key, definition);
  if (same !== undefined) {
    return `The automation ${quote(same.name)} listens to the same webhooks with the same filter; each delivery starts both.`;
  }
  if (shared === undefined) return null;
  const other = quote(single.get(shared.key)!.name);
  return `The automation ${other} listens to ${quote(shared.webhook)} with the same filter too; each delivery that passes it starts both.`;
}

/** One webhook that a trigger listens to, and its filter. */
interface Single {
  webhook: string;
  key: string;
}

function listSingles({ listened, filter }: SpeltTrigger): Single[] {
  return listened.map((webhook) => ({ webhook, key: `${webhook}\n${filter}` }));
}

/** One finding however many triggers are repeated: whoever mends one sees the others. */
function reportRepeated(
  { triggers }: AutomationDefinition,
  fingerprints: readonly string[],
  yaml: YamlText,
  findings: Findings,
): void {
  // Indexes of webhook triggers, of which there are as many as fingerprints, in the list of all triggers.
  const places = triggers.flatMap((trigger, index) => (isWebhookTrigger(trigger) ? [index] : []));
  const seen = new Map<string, number>();
  for (const [index, fingerprint] of fingerprints.entries()) {
    const first = seen.get(fingerprint);
    const path = ['triggers', places[index]!];
    if (first === undefined) seen.set(fingerprint, places[index]!);
    else {
      const message = `This trigger says the same as triggers[${first}]; one delivery starts one run of an automation at most.`;
      const hint = 'Remove it, or give it other webhooks or another payload filter.';
      findings.add({ rule: 'automation/repeated-trigger', at: yaml.locate(path).value, path, message, hint });
      return;
    }
  }
}

/** A trigger in one of its spellings. */
interface SpeltTrigger {
  listened: string[];
  filter: string;
}

function spellTrigger(trigger: WebhookTrigger, references: References): SpeltTrigger {
  return { listened: listListened(trigger, references), filter: JSON.stringify(spell(trigger.payload ?? {})) };
}

/** Names of webhooks, and UIDs that have none, each once and in order. */
function listListened({ webhooks, webhookIds }: WebhookTrigger, { namesByUid }: References): string[] {
  return [...new Set([...webhooks, ...webhookIds.map((uid) => namesByUid.get(uid) ?? uid)])].sort();
}

/** A valid filter in one of its spellings; `readAutomation` gives no definition where it is not valid. */
function spell(payload: JsonObject): Json {
  const parsed = parsePattern(payload);
  return parsed.ok ? spellFields(parsed.pattern.fields) : payload;
}

function spellFields(fields: readonly PatternField[]): Json {
  const sorted = [...fields].sort((a, b) => (a.key < b.key ? -1 : 1));
  return sorted.map(({ key, condition }): Json => {
    if (condition.kind === 'object') return [key, spellFields(condition.fields)];
    return [key, spellValues(condition.in), spellValues(condition.notIn), condition.exists];
  });
}

/** JSON texts of scalars differ exactly where the values do. */
function spellValues(values: readonly Scalar[] | null): Json {
  return values === null ? null : [...new Set(values.map((value) => JSON.stringify(value)))].sort();
}
