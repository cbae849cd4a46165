import type { Json, JsonObject } from '../../../../api-types/openapi.d.ts';
import type { AutomationBody } from '../../../api/automations.ts';
import type { Automation, Webhook } from '../../../api/types.ts';
import { parseFilter } from '../filter/parse-filter.ts';

/** A trigger while it is edited. */
export type TriggerDraft =
  | {
      kind: 'webhook';
      /** Tells triggers apart while they are edited. */
      key: number;
      /** UIDs of the webhooks that it listens to; also of such that are gone. */
      webhooks: string[];
      /** The payload filter as it is typed; blank for none. */
      filter: string;
    }
  | { kind: 'elsewhere'; key: number; declared: JsonObject };

export type WebhookTriggerDraft = Extract<TriggerDraft, { kind: 'webhook' }>;

/** An automation while it is edited. */
export interface AutomationDraft {
  name: string;
  description: string;
  enabled: boolean;
  agent: string;
  prompt: string;
  /** Execution overrides as a JSON object, as they are typed; blank for none. */
  overrides: string;
  triggers: TriggerDraft[];
}

let lastKey = 0;

export function createTrigger(webhooks: string[] = []): WebhookTriggerDraft {
  lastKey += 1;
  return { kind: 'webhook', key: lastKey, webhooks, filter: '' };
}

export function createDraft(): AutomationDraft {
  return {
    ...{ name: '', description: '', enabled: true, agent: '', prompt: '', overrides: '' },
    triggers: [createTrigger()],
  };
}

/** @param webhooks those of the factory, to tell UIDs by names */
export function draftOf(automation: Automation, webhooks: readonly Webhook[]): AutomationDraft {
  const { name, description, enabled, agent, prompt, overrides } = automation;
  return {
    ...{ name, enabled, prompt, description: description ?? '', agent: agent ?? '' },
    overrides: Object.keys(overrides).length === 0 ? '' : formatJson(overrides),
    triggers: automation.triggers.map((trigger) => draftTrigger(trigger, webhooks)),
  };
}

function draftTrigger(trigger: Automation['triggers'][number], webhooks: readonly Webhook[]): TriggerDraft {
  lastKey += 1;
  if (trigger.handled_elsewhere) {
    return { kind: 'elsewhere', key: lastKey, declared: declareTrigger(trigger) };
  }
  const { webhook_ids, webhooks: names, payload } = trigger.filter;
  const named = webhooks.filter(({ name }) => names.includes(name)).map(({ uid }) => uid);
  return {
    kind: 'webhook',
    key: lastKey,
    webhooks: [...new Set([...webhook_ids, ...named])],
    filter: payload === null ? '' : formatJson(payload),
  };
}

/** How the triggers are written: webhooks by name, but by UID where they were or where the webhook is gone. */
export function declareTriggers(
  drafts: readonly TriggerDraft[],
  webhooks: readonly Webhook[],
  before: Automation | null,
): JsonObject[] {
  const byUid = new Set(before?.triggers.flatMap((one) => (one.handled_elsewhere ? [] : one.filter.webhook_ids)));
  return drafts.map((draft) => {
    if (draft.kind === 'elsewhere') return draft.declared;
    const named = webhooks.filter(({ uid }) => draft.webhooks.includes(uid) && !byUid.has(uid));
    const uids = draft.webhooks.filter((uid) => !named.some((webhook) => webhook.uid === uid));
    const parsed = parseFilter(draft.filter);
    return {
      provider: 'webhook',
      event: 'received',
      filter: {
        ...(uids.length === 0 ? {} : { webhook_ids: uids }),
        ...(named.length === 0 ? {} : { webhooks: named.map(({ name }) => name) }),
        ...(parsed.kind === 'filter' ? { payload: parsed.filter } : {}),
      },
    };
  });
}

/** What the API takes for a draft in which `findObstacles` finds nothing. */
export function toBody(draft: AutomationDraft, triggers: JsonObject[]): AutomationBody {
  const parsed = parseFilter(draft.overrides);
  return {
    ...(parsed.kind === 'filter' ? (parsed.filter as JsonObject) : {}),
    description: draft.description.trim() === '' ? null : draft.description,
    enabled: draft.enabled,
    agent: draft.agent.trim() === '' ? null : draft.agent.trim(),
    triggers,
    prompt: draft.prompt,
  };
}

/** What the API takes to leave an automation as it is. */
export function bodyOf(automation: Automation): AutomationBody {
  const { description, enabled, agent, prompt, overrides } = automation;
  return { ...overrides, description, enabled, agent, prompt, triggers: automation.triggers.map(declareTrigger) };
}

function declareTrigger(trigger: Automation['triggers'][number]): JsonObject {
  if (trigger.handled_elsewhere) {
    const { listens_to: _, handled_elsewhere: __, ...declared } = trigger;
    return declared as JsonObject;
  }
  const { provider, event, filter } = trigger;
  const { webhook_ids, webhooks, payload } = filter;
  return { provider, event, filter: { webhook_ids, webhooks, ...(payload === null ? {} : { payload }) } };
}

/** What an automation says, key by key, to be compared. */
export function writtenKeys(automation: Automation): { [key: string]: Json } {
  const { description, enabled, agent, prompt, overrides } = automation;
  return { description, enabled, agent, triggers: automation.triggers.map(declareTrigger), prompt, overrides };
}

/** What keeps a draft from being sent at all; what the definition says is judged by the daemon. */
export function findObstacles(draft: AutomationDraft): string[] {
  const obstacles: string[] = [];
  if (draft.name.trim() === '') obstacles.push('Give the automation a name.');
  if (draft.prompt.trim() === '') obstacles.push('Write a prompt: what is to be done with a delivery.');
  if (draft.triggers.length === 0) obstacles.push('Add a trigger: what starts the automation.');
  for (const [i, trigger] of draft.triggers.entries()) {
    if (trigger.kind === 'elsewhere') continue;
    if (trigger.webhooks.length === 0) obstacles.push(`Trigger ${i + 1}: choose at least one webhook.`);
    if (parseFilter(trigger.filter).kind === 'broken') obstacles.push(`Trigger ${i + 1}: the filter is no JSON.`);
  }
  const overrides = parseFilter(draft.overrides);
  const isObject = overrides.kind === 'filter' && isPlainObject(overrides.filter);
  if (overrides.kind === 'broken' || (overrides.kind === 'filter' && !isObject)) {
    obstacles.push('The execution overrides have to be a JSON object.');
  }
  return obstacles;
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON of two spaces, with lists of values on one line, as people write filters. */
export function formatJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return text.replace(/\[\n\s+([^[\]{}]*?)\n\s+\]/g, (_, items: string) => `[${items.replace(/,\n\s+/g, ', ')}]`);
}
