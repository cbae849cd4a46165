import { type AutomationDefinition, isWebhookTrigger, type WebhookTrigger } from '../core/definition.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import type { CheckedAutomation, References } from './check-references.ts';
import { quote } from './key-path.ts';

/**
 * Warns about every enabled automation whose webhook triggers are those of an earlier one: each delivery then starts
 * both, which is seldom meant. Compared by text, so that 5,000 automations take one pass.
 */
export function checkAlike(automations: readonly CheckedAutomation[], references: References): void {
  const firsts = new Map<string, AutomationDefinition>();
  for (const { definition, yaml, findings } of automations) {
    if (definition === null || yaml === null || !definition.enabled) continue;
    const triggers = definition.triggers.filter(isWebhookTrigger);
    if (triggers.length === 0) continue;
    const fingerprint = triggers
      .map((trigger) => fingerprintTrigger(trigger, references))
      .sort()
      .join('\n');
    const first = firsts.get(fingerprint);
    if (first === undefined) firsts.set(fingerprint, definition);
    else {
      const message = `The automation ${quote(first.name)} listens to the same webhooks with the same filter; each delivery starts both.`;
      const hint = 'Remove one, disable one, or give them different payload filters.';
      const { key: at } = yaml.locate(['triggers']);
      findings.add({ rule: 'automation/same-trigger', at, path: ['triggers'], message, hint });
    }
  }
}

function fingerprintTrigger({ webhooks, webhookIds, payload }: WebhookTrigger, { namesByUid }: References): string {
  const listened = new Set([...webhooks, ...webhookIds.map((uid) => namesByUid.get(uid) ?? uid)]);
  return JSON.stringify([[...listened].sort(), sortKeys(payload ?? {})]);
}

/** Depth is that of a valid filter: `readAutomation` gives no definition otherwise. */
function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return keys.map((key): Json => [key, sortKeys(value[key]!)]);
}
