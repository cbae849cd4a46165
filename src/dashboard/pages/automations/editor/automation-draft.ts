import type { Automation, Webhook } from '../../../../client/api-types.ts';
import type { Json, JsonObject } from '../../../../client/openapi.d.ts';
import { nameForApi, pickPolicy } from '../../../../domain/words/automations.ts';
import type { AutomationRequest } from '../../../api/automations.ts';
import { parseFilter } from '../filter/parse-filter.ts';

/** A trigger while it is edited. */
export type TriggerDraft =
  | {
      kind: 'webhook';
      /** Identifies a trigger in the form. */
      key: number;
      /** UIDs of its webhooks, including deleted ones. */
      webhooks: string[];
      /** Text of the filter of headers; blank for none. */
      headers: string;
      /** Text of the payload filter; blank for none. */
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
  /** Text of a JSON object with the execution overrides and the run policy; blank for none. */
  execution: string;
  triggers: TriggerDraft[];
}

let lastKey = 0;

export function createTrigger(webhooks: string[] = []): WebhookTriggerDraft {
  lastKey += 1;
  return { kind: 'webhook', key: lastKey, webhooks, headers: '', filter: '' };
}

export function createDraft(): AutomationDraft {
  return {
    name: '',
    description: '',
    enabled: true,
    agent: '',
    prompt: '',
    execution: '',
    triggers: [createTrigger()],
  };
}

/** @param webhooks all webhooks of the factory, to find UIDs by name */
export function draftOf(automation: Automation, webhooks: readonly Webhook[]): AutomationDraft {
  const { name, description, enabled, agent, prompt } = automation;
  const execution = executionOf(automation);
  return {
    name,
    enabled,
    prompt,
    description: description ?? '',
    agent: agent ?? '',
    execution: Object.keys(execution).length === 0 ? '' : formatJson(execution),
    triggers: automation.triggers.map((trigger) => draftTrigger(trigger, webhooks)),
  };
}

function draftTrigger(trigger: Automation['triggers'][number], webhooks: readonly Webhook[]): TriggerDraft {
  lastKey += 1;
  if ('service' in trigger) {
    return { kind: 'elsewhere', key: lastKey, declared: declareTrigger(trigger) };
  }
  const { webhook_ids, webhooks: names, headers, payload } = trigger.filter;
  const named = webhooks.filter(({ name }) => names.includes(name)).map(({ uid }) => uid);
  return {
    kind: 'webhook',
    key: lastKey,
    webhooks: [...new Set([...webhook_ids, ...named])],
    headers: headers === null ? '' : formatJson(headers),
    filter: payload === null ? '' : formatJson(payload),
  };
}

/** Triggers as the API accepts them: webhooks by name, or by UID if they were before or if the webhook is deleted. */
export function declareTriggers(
  drafts: readonly TriggerDraft[],
  webhooks: readonly Webhook[],
  before: Automation | null,
): JsonObject[] {
  const byUid = new Set(before?.triggers.flatMap((one) => ('service' in one ? [] : one.filter.webhook_ids)));
  return drafts.map((draft) => {
    if (draft.kind === 'elsewhere') return draft.declared;
    const named = webhooks.filter(({ uid }) => draft.webhooks.includes(uid) && !byUid.has(uid));
    const uids = draft.webhooks.filter((uid) => !named.some((webhook) => webhook.uid === uid));
    const [headers, payload] = [parseFilter(draft.headers), parseFilter(draft.filter)];
    return {
      provider: 'webhook',
      event: 'received',
      filter: {
        ...(uids.length === 0 ? {} : { webhook_ids: uids }),
        ...(named.length === 0 ? {} : { webhooks: named.map(({ name }) => name) }),
        ...(headers.kind === 'filter' ? { headers: headers.filter } : {}),
        ...(payload.kind === 'filter' ? { payload: payload.filter } : {}),
      },
    };
  });
}

/** The request body for a draft without problems. */
export function toBody(draft: AutomationDraft, triggers: JsonObject[]): AutomationRequest {
  const parsed = parseFilter(draft.execution);
  return {
    ...(parsed.kind === 'filter' ? nameForApi(parsed.filter as JsonObject) : {}),
    description: draft.description.trim() === '' ? null : draft.description,
    enabled: draft.enabled,
    agent: draft.agent.trim() === '' ? null : draft.agent.trim(),
    triggers,
    prompt: draft.prompt,
  };
}

/** The request body that leaves an automation unchanged. */
export function bodyOf(automation: Automation): AutomationRequest {
  const { description, enabled, agent, prompt } = automation;
  const triggers = automation.triggers.map(declareTrigger);
  return { ...nameForApi(executionOf(automation)), description, enabled, agent, prompt, triggers };
}

function declareTrigger(trigger: Automation['triggers'][number]): JsonObject {
  if ('service' in trigger) {
    const { listens_to: _, handled_elsewhere: __, service: ___, ticks: ____, ...declared } = trigger;
    return declared as JsonObject;
  }
  const { provider, event, filter } = trigger;
  const { webhook_ids, webhooks, headers, payload } = filter;
  const parts = { ...(headers === null ? {} : { headers }), ...(payload === null ? {} : { payload }) };
  return { provider, event, filter: { webhook_ids, webhooks, ...parts } };
}

/** The keys that say how runs are executed, as in the file: the overrides, and the run policy. */
export function executionOf(automation: Automation): JsonObject {
  return { ...automation.overrides, ...pickPolicy(automation) } as JsonObject;
}

/** The content of an automation by key, for comparison. */
export function writtenKeys(automation: Automation): { [key: string]: Json } {
  const { description, enabled, agent, prompt } = automation;
  const triggers = automation.triggers.map(declareTrigger);
  return { description, enabled, agent, triggers, prompt, execution: executionOf(automation) };
}

/** Problems that prevent a request. The daemon validates everything else. */
export function findDraftProblems(draft: AutomationDraft): string[] {
  const problems: string[] = [];
  if (draft.name.trim() === '') problems.push('Enter a name.');
  if (draft.prompt.trim() === '') problems.push('Enter a prompt.');
  if (draft.triggers.length === 0) problems.push('Add a trigger.');
  for (const [i, trigger] of draft.triggers.entries()) {
    if (trigger.kind === 'elsewhere') continue;
    if (trigger.webhooks.length === 0) problems.push(`Trigger ${i + 1}: select at least one webhook.`);
    if (parseFilter(trigger.headers).kind === 'broken')
      problems.push(`Trigger ${i + 1}: the filter of headers is not valid JSON.`);
    if (parseFilter(trigger.filter).kind === 'broken') problems.push(`Trigger ${i + 1}: the filter is not valid JSON.`);
  }
  const execution = parseFilter(draft.execution);
  const isObject = execution.kind === 'filter' && isPlainObject(execution.filter);
  if (execution.kind === 'broken' || (execution.kind === 'filter' && !isObject)) {
    problems.push('Overrides and run policy must be a JSON object.');
  }
  return problems;
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON with an indent of two spaces and short lists on one line, as people write filters. */
export function formatJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return text.replace(/\[\n\s+([^[\]{}]*?)\n\s+\]/g, (_, items: string) => `[${items.replace(/,\n\s+/g, ', ')}]`);
}
