import type { AutomationDefinition } from '../../core/definition.ts';
import { isWebhookTrigger, type WebhookTrigger } from '../../core/trigger.ts';
import { quote } from '../../yaml/key-path.ts';
import type { FileDiagnostics } from '../file-diagnostics.ts';
import type { LinkedTrigger } from '../read/file-result.ts';
import type { CheckedAutomation, References } from './check-references.ts';

/**
 * Warns about enabled automations with the same webhook and the same filter as an earlier automation, because each delivery
 * starts both. Also warns about repeated triggers within one automation. Triggers are compared as text, so 5,000 automations
 * need one pass. The order of keys, webhooks and listed values is ignored.
 */
export function checkSameTriggers(automations: readonly CheckedAutomation[], references: References): void {
  const firsts: Firsts = { whole: new Map(), single: new Map() };
  for (const { definition, links, diagnostics } of automations) {
    if (definition === null || links === null || !definition.enabled) continue;
    const triggers = definition.triggers.filter(isWebhookTrigger);
    if (triggers.length === 0) continue;
    const normalized = triggers.map((trigger, index) => ({
      webhookNames: listWebhooks(trigger, references),
      filter: links.triggers[index]!.filter,
    }));
    const fingerprints = normalized.map(({ webhookNames, filter }) => `${webhookNames.join(' ')}\n${filter}`);
    const unique = [...new Set(fingerprints)];
    if (unique.length < fingerprints.length) reportRepeated(links.triggers, fingerprints, diagnostics);
    const singles = normalized.flatMap(listSingles);
    const message = findSameTrigger(definition, unique.sort().join('\n'), singles, firsts);
    if (message === null) continue;
    const hint = 'Remove or disable one of them, or use different payload filters.';
    diagnostics.add({ rule: 'automation/same-trigger', at: links.triggersAt, path: ['triggers'], message, hint });
  }
}

/** The first automation with all of some triggers, and the first one with a webhook and a filter. */
interface Firsts {
  whole: Map<string, AutomationDefinition>;
  single: Map<string, AutomationDefinition>;
}

/** A message about an earlier automation with the same trigger; `null` if none exists. Records this automation. */
function findSameTrigger(
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
    return `The automation ${quote(same.name)} has the same webhooks and the same filter. Each delivery starts both automations.`;
  }
  if (shared === undefined) return null;
  const other = quote(single.get(shared.key)!.name);
  return `The automation ${other} also has the webhook ${quote(shared.webhook)} with the same filter. Each matching delivery starts both automations.`;
}

/** One webhook of a trigger, and its filter. */
interface Single {
  webhook: string;
  key: string;
}

function listSingles({ webhookNames, filter }: NormalTrigger): Single[] {
  return webhookNames.map((webhook) => ({ webhook, key: `${webhook}\n${filter}` }));
}

/** Reports only the first repeated trigger of an automation. */
function reportRepeated(
  triggers: readonly LinkedTrigger[],
  fingerprints: readonly string[],
  diagnostics: FileDiagnostics,
): void {
  const seen = new Map<string, number>();
  for (const [position, fingerprint] of fingerprints.entries()) {
    const { index, at } = triggers[position]!;
    const first = seen.get(fingerprint);
    if (first === undefined) seen.set(fingerprint, index);
    else {
      const message = `This trigger is identical to triggers[${first}]. One delivery starts at most one run of an automation.`;
      const hint = 'Remove the trigger, or use other webhooks or another payload filter.';
      diagnostics.add({ rule: 'automation/repeated-trigger', at, path: ['triggers', index], message, hint });
      return;
    }
  }
}

/** A trigger in its normal form. */
interface NormalTrigger {
  webhookNames: string[];
  filter: string;
}

/** Sorted names of webhooks, without duplicates; UIDs without a known name stay UIDs. */
function listWebhooks({ webhooks, webhookIds }: WebhookTrigger, { namesByUid }: References): string[] {
  return [...new Set([...webhooks, ...webhookIds.map((uid) => namesByUid.get(uid) ?? uid)])].sort();
}
