import type { WebhookDefinition } from '../../core/definition.ts';
import { isWebhookUid } from '../../core/ids.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import { suggest } from '../../core/suggest.ts';
import { isWebhookTrigger, type WebhookTrigger } from '../../core/trigger.ts';
import { type KeyPath, quote } from '../../yaml/key-path.ts';
import type { YamlText } from '../../yaml/parse-yaml.ts';
import type { FileDiagnostics } from '../file-diagnostics.ts';
import { listWebhookFilters, type ReadAutomation } from '../read/read-automation.ts';

/** What the rules across files look names up in. */
export interface References {
  /** Names of all webhooks that the tree declares, also of those whose files are wrong. */
  declared: ReadonlySet<string>;
  /** Those that could be read. */
  webhooks: ReadonlyMap<string, WebhookDefinition>;
  /** Name of a webhook that has been applied → its UID. */
  knownUids: ReadonlyMap<string, string>;
  /** The same the other way round. */
  namesByUid: ReadonlyMap<string, string>;
}

/** An automation, and the diagnostics of its file. */
export interface CheckedAutomation extends ReadAutomation {
  diagnostics: FileDiagnostics;
}

/** Rules about one automation that need the other files of the tree. */
export function checkReferences(automation: CheckedAutomation, references: References): void {
  const { yaml, diagnostics } = automation;
  if (yaml === null) return;
  for (const { filter, path } of listWebhookFilters(yaml.value)) {
    const ids = isJsonObject(filter.webhook_ids)
      ? listStrings(filter.webhook_ids.in, [...path, 'webhook_ids', 'in'])
      : listStrings(filter.webhook_ids, [...path, 'webhook_ids']);
    for (const entry of ids) checkUid(entry, yaml, references, diagnostics);
    for (const entry of listStrings(filter.webhooks, [...path, 'webhooks']))
      checkName(entry, yaml, references, diagnostics);
  }
  if (!diagnostics.hasErrors()) checkReachable(automation, references);
}

interface ListedText {
  text: string;
  path: KeyPath;
}

/** The strings of a list. The schema has reported values of other types. */
function listStrings(list: Json | undefined, path: KeyPath): ListedText[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((text, index) => (typeof text === 'string' ? [{ text, path: [...path, index] }] : []));
}

function checkUid(
  { text, path }: ListedText,
  yaml: YamlText,
  references: References,
  diagnostics: FileDiagnostics,
): void {
  if (isWebhookUid(text)) return;
  const at = yaml.locate(path).value;
  const uid = references.knownUids.get(text);
  if (uid !== undefined || references.declared.has(text)) {
    const message = `${quote(text)} is the name of a webhook, but webhook_ids lists UIDs.`;
    const byName = `list the name under "webhooks" instead: webhooks: [${text}]`;
    const hint = uid === undefined ? `${capitalise(byName)}.` : `Write its UID, ${uid}, or ${byName}.`;
    diagnostics.add({ rule: 'automation/name-as-uid', at, path, message, hint });
    return;
  }
  const message = `${quote(text)} is not a webhook UID. A UID is "wh_" and 26 lowercase letters and digits without i, l, o and u.`;
  const hint = 'Copy the UID from "dockbell webhook list", or list the names of webhooks under "webhooks".';
  diagnostics.add({ rule: 'automation/malformed-uid', at, path, message, hint });
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function checkName(
  { text, path }: ListedText,
  yaml: YamlText,
  references: References,
  diagnostics: FileDiagnostics,
): void {
  if (references.declared.has(text)) return;
  diagnostics.add({
    rule: 'automation/unknown-webhook',
    at: yaml.locate(path).value,
    path,
    message: `The webhook ${quote(text)} does not exist: webhooks/ contains no such file.`,
    hint: hintForUnknownName(text, references),
  });
}

// Far above the usual limit of webhooks. A hostile tree declares thousands of webhooks and refers to thousands of unknown ones.
const MAX_WEBHOOKS_COMPARED = 200;

function hintForUnknownName(text: string, { declared }: References): string {
  if (isWebhookUid(text)) return 'This is a UID. List it under "webhook_ids".';
  if (declared.size === 0) return 'The factory has no webhooks. Add a file webhooks/<name>.yaml.';
  if (declared.size > MAX_WEBHOOKS_COMPARED) return 'Compare the name with the files in webhooks/.';
  const meant = suggest(text.replace(/\.ya?ml$/i, ''), declared);
  return meant === null ? `Webhooks of this factory: ${[...declared].join(', ')}.` : `Did you mean ${quote(meant)}?`;
}

function checkReachable({ definition, yaml, diagnostics }: CheckedAutomation, references: References): void {
  if (definition === null || yaml === null || !definition.enabled) return;
  const triggers = definition.triggers.filter(isWebhookTrigger);
  if (triggers.length < definition.triggers.length) return;
  if (triggers.some((trigger) => canFire(trigger, references))) return;
  const message = 'No enabled webhook can start this automation.';
  const hint = 'Enable one of its webhooks, list another, or set "enabled: false" on the automation.';
  const { key: at } = yaml.locate(['triggers']);
  diagnostics.add({ rule: 'automation/unreachable', at, path: ['triggers'], message, hint });
}

/** An unknown UID may exist; only the apply can check it. A webhook with an invalid file may exist, too. */
function canFire(trigger: WebhookTrigger, { webhooks, declared, namesByUid }: References): boolean {
  const isLive = (name: string) => declared.has(name) && webhooks.get(name)?.enabled !== false;
  return (
    trigger.webhooks.some(isLive) ||
    trigger.webhookIds.some((uid) => {
      const name = namesByUid.get(uid);
      return name === undefined || isLive(name);
    })
  );
}
