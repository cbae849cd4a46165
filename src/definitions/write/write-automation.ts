import { declareTrigger } from '../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import { AUTOMATION_FIELDS, type DeclaredAutomation, EXECUTION_OVERRIDES } from '../../domain/resources/automation.ts';
import { type RecordWith, writeDeclared } from '../../domain/resources/fields.ts';
import { writeFrontMatterFile } from '../../domain/words/yaml-text.ts';
import { editYaml, type KeyChanges, readValues } from '../yaml/edit-yaml.ts';
import { splitFrontMatter } from '../yaml/split-front-matter.ts';

/** The content of an automation's file, with `triggers` as the file writes them. */
export interface AutomationContent extends Partial<RecordWith<typeof AUTOMATION_FIELDS, 'declared'>> {
  triggers: readonly JsonObject[];
  prompt: string;
  overrides?: { readonly [key: string]: Json };
}

/** The text of the file for an applied automation. */
export function writeAutomation(automation: DeclaredAutomation): string {
  return writeDeclaredAutomation({ ...automation, triggers: automation.triggers.map(declareTrigger) });
}

/** The text of the file of a new automation. */
export function writeDeclaredAutomation(automation: AutomationContent): string {
  return writeFrontMatterFile(toKeys(automation), automation.prompt);
}

/** The changed text of an automation's file. Unchanged keys, comments and layout are kept. */
export function editAutomation(text: string, automation: AutomationContent): string {
  const parts = splitFrontMatter(text);
  if (!parts.ok) return writeDeclaredAutomation(automation);
  const head = text.slice(0, text.length - parts.body.length);
  const start = head.indexOf('\n') + 1;
  const edited = editYaml(parts.yaml, toKeys(automation));
  return head.slice(0, start) + edited + head.slice(start + parts.yaml.length) + automation.prompt;
}

/** The new selector for a webhook that was renamed or deleted. */
export type Reselection = { name: string; to: { name: string } | { uid: WebhookUid } };

/**
 * The file with the new name of a webhook in all triggers that select it by name. With a UID instead of a new name, the
 * trigger selects a deleted webhook, which is a warning and not an error.
 */
export function reselectWebhook(text: string, reselection: Reselection): string {
  const parts = splitFrontMatter(text);
  if (!parts.ok) return text;
  const { triggers } = readValues(parts.yaml);
  if (!Array.isArray(triggers)) return text;
  const start = text.indexOf('\n') + 1;
  const edited = editYaml(parts.yaml, { triggers: triggers.map((trigger) => reselectInTrigger(trigger, reselection)) });
  return text.slice(0, start) + edited + text.slice(start + parts.yaml.length);
}

function reselectInTrigger(trigger: Json, { name, to }: Reselection): Json {
  if (!isJsonObject(trigger) || !isJsonObject(trigger.filter)) return trigger;
  const { webhooks, webhook_ids: ids, ...rest } = trigger.filter;
  if (trigger.provider !== 'webhook' || !Array.isArray(webhooks) || !webhooks.includes(name)) return trigger;
  if ('name' in to) {
    const renamed = webhooks.map((each) => (each === name ? to.name : each));
    return { ...trigger, filter: { ...trigger.filter, webhooks: renamed } };
  }
  const known = isJsonObject(ids) ? ids.in : ids;
  const selected = { webhook_ids: [...(Array.isArray(known) ? known : []), to.uid] };
  const others = webhooks.filter((each) => each !== name);
  return { ...trigger, filter: { ...selected, ...(others.length === 0 ? {} : { webhooks: others }), ...rest } };
}

function toKeys({ triggers, overrides = {}, ...declared }: AutomationContent): KeyChanges {
  return {
    ...writeDeclared(AUTOMATION_FIELDS, declared),
    triggers: triggers.map(withoutEmptyLists),
    ...Object.fromEntries(EXECUTION_OVERRIDES.map((key) => [key, overrides[key]])),
  };
}

/** An applied trigger has both lists of webhooks; a file contains only the lists that are not empty. */
function withoutEmptyLists(trigger: JsonObject): JsonObject {
  const { filter } = trigger;
  if (trigger.provider !== 'webhook' || !isJsonObject(filter)) return trigger;
  const isUsed = ([key, value]: [string, Json]) =>
    !((key === 'webhook_ids' || key === 'webhooks') && Array.isArray(value) && value.length === 0);
  return { ...trigger, filter: Object.fromEntries(Object.entries(filter).filter(isUsed)) };
}
