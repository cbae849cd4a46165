import type { AutomationDefinition } from '../../domain/definitions/definition.ts';
import { isWebhookTrigger, type Trigger, type WebhookTrigger } from '../../domain/definitions/trigger.ts';
import type { FileProblem } from '../file-diagnostics.ts';
import type { AutomationLinks, AutomationResult, LinkedTrigger } from '../read/file-result.ts';
import { quote } from '../yaml/key-path.ts';
import type { CheckedAutomation } from './check-references.ts';
import type { References } from './references.ts';

/** Problems by the file that they are about. */
export type ProblemsByFile = ReadonlyMap<AutomationResult, readonly FileProblem[]>;

/**
 * Warns about enabled automations with the same webhook and the same filter as an earlier automation, because each delivery
 * starts both. Also warns about repeated triggers within one automation, of webhooks and of providers. Triggers are compared as text, so 5,000 automations
 * need one pass. The order of keys, webhooks and listed values is ignored. Invalid automations are not compared
 * with others.
 */
export function checkSameTriggers(
  automations: readonly CheckedAutomation[],
  references: Pick<References, 'namesByUid'>,
): ProblemsByFile {
  const firsts: Firsts = { whole: new Map(), parts: new Map() };
  const found = new Map<AutomationResult, FileProblem[]>();
  for (const { definition, result, hasWrongReferences } of automations) {
    const { links } = result;
    if (definition === null || links === null || !definition.enabled || links.triggers.length === 0) continue;
    if (hasWrongReferences && links.triggers.length === 1) continue;
    const all = normalizeTriggers(definition, links, references);
    const problems: FileProblem[] = [];
    const triggers = all.length === 1 ? all : dropRepeated(all, problems);
    const listening = triggers.filter(({ trigger }) => isWebhookTrigger(trigger));
    const message =
      hasWrongReferences || listening.length === 0 ? null : findSameTrigger(definition, listening, firsts);
    if (message !== null) {
      const hint = 'Remove or disable one of them, or use different payload filters.';
      problems.push({ rule: 'automation/same-trigger', at: links.triggersAt, path: ['triggers'], message, hint });
    }
    if (problems.length > 0) found.set(result, problems);
  }
  return found;
}

/** The first automation with all of some triggers, and the first one with a webhook and a filter. */
interface Firsts {
  /** By the text of all triggers. Not those in `PartFirsts.alone`. */
  whole: Map<string, AutomationDefinition>;
  /** By webhook, then by filter. */
  parts: Map<string, Map<string, PartFirsts>>;
}

interface PartFirsts {
  any: AutomationDefinition;
  /** The first automation with this webhook and this filter and nothing else. */
  alone: AutomationDefinition | null;
}

/** A message about an earlier automation with the same trigger; `null` if none exists. Records this automation. */
function findSameTrigger(
  definition: AutomationDefinition,
  triggers: readonly NormalTrigger[],
  firsts: Firsts,
): string | null {
  const isAlone = triggers.length === 1 && triggers[0]!.webhookNames.length === 1;
  let same = isAlone ? null : findWhole(definition, triggers, firsts);
  let shared: { webhook: string; other: AutomationDefinition } | null = null;
  for (const { webhookNames, link } of triggers) {
    for (const webhook of webhookNames) {
      const part = findPart(definition, webhook, link.filter, firsts);
      if (part.any !== definition) shared ??= { webhook, other: part.any };
      if (!isAlone) continue;
      same = part.alone;
      part.alone ??= definition;
    }
  }
  if (same !== null) {
    return `The automation ${quote(same.name)} has the same webhooks and the same filter. Each delivery starts both automations.`;
  }
  if (shared === null) return null;
  const { webhook, other } = shared;
  return `The automation ${quote(other.name)} also has the webhook ${quote(webhook)} with the same filter. Each matching delivery starts both automations.`;
}

/** The first automation with this webhook and this filter; the given one if none exists. */
function findPart(definition: AutomationDefinition, webhook: string, filter: string, { parts }: Firsts): PartFirsts {
  let byFilter = parts.get(webhook);
  if (byFilter === undefined) {
    byFilter = new Map();
    parts.set(webhook, byFilter);
  }
  let part = byFilter.get(filter);
  if (part === undefined) {
    part = { any: definition, alone: null };
    byFilter.set(filter, part);
  }
  return part;
}

function findWhole(
  definition: AutomationDefinition,
  triggers: readonly NormalTrigger[],
  { whole }: Firsts,
): AutomationDefinition | null {
  const fingerprint = triggers.map(formatTrigger).sort().join('\n');
  const same = whole.get(fingerprint);
  if (same === undefined) whole.set(fingerprint, definition);
  return same ?? null;
}

/** Reports only the first repeated trigger of an automation. Returns the triggers without repetitions. */
function dropRepeated(triggers: readonly NormalTrigger[], problems: FileProblem[]): NormalTrigger[] {
  const firsts = new Map<string, NormalTrigger>();
  let isReported = false;
  for (const one of triggers) {
    const fingerprint = formatTrigger(one);
    const first = firsts.get(fingerprint);
    if (first === undefined) firsts.set(fingerprint, one);
    else if (!isReported) {
      isReported = true;
      const { index, at } = one.link;
      const message = `This trigger is identical to triggers[${first.link.index}]. One delivery starts at most one run of an automation.`;
      const other = isWebhookTrigger(one.trigger)
        ? 'other webhooks or another payload filter'
        : 'another event or filter';
      const hint = `Remove the trigger, or use ${other}.`;
      problems.push({ rule: 'automation/repeated-trigger', at, path: ['triggers', index], message, hint });
    }
  }
  return [...firsts.values()];
}

/** A trigger in its normal form. */
interface NormalTrigger {
  link: LinkedTrigger;
  trigger: Trigger;
  /** Empty for a trigger of a provider. */
  webhookNames: readonly string[];
}

function normalizeTriggers(
  { triggers }: AutomationDefinition,
  links: AutomationLinks,
  references: Pick<References, 'namesByUid'>,
): NormalTrigger[] {
  return links.triggers.map((link) => {
    const trigger = triggers[link.index]!;
    return { link, trigger, webhookNames: isWebhookTrigger(trigger) ? listWebhooks(trigger, references) : [] };
  });
}

function formatTrigger({ webhookNames, link }: NormalTrigger): string {
  return `${webhookNames.join(' ')}\n${link.filter}`;
}

/** Sorted names of webhooks, without duplicates; UIDs without a known name stay UIDs. */
function listWebhooks(
  { webhooks, webhookIds }: WebhookTrigger,
  { namesByUid }: Pick<References, 'namesByUid'>,
): readonly string[] {
  if (webhookIds.length === 0 && webhooks.length === 1) return webhooks;
  return [...new Set([...webhooks, ...webhookIds.map((uid) => namesByUid.get(uid) ?? uid)])].sort();
}
