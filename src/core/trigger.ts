import type { Position } from './diagnostic.ts';
import type { JsonObject } from './json.ts';

/** A trigger that listens to webhooks of this factory. `filter` as in the specification, "Webhook trigger". */
export interface WebhookTrigger {
  provider: 'webhook';
  event: 'received';
  /** UIDs in the file, in file order. */
  webhookIds: string[];
  /** Names of webhooks of the same factory. An apply resolves them to UIDs. */
  webhooks: string[];
  /** The payload filter as declared; `null` if the trigger has none. */
  payload: JsonObject | null;
  /** Position of the lists of webhooks, for diagnostics about UIDs. */
  at: Position;
}

/** A trigger of another provider. It is valid and listed as "handled elsewhere", but starts no run. */
export interface ForeignTrigger {
  provider: string;
  /** The trigger as declared. */
  declared: JsonObject;
}

export type Trigger = WebhookTrigger | ForeignTrigger;

export function isWebhookTrigger(trigger: Trigger): trigger is WebhookTrigger {
  return trigger.provider === 'webhook';
}

/** A trigger as its file declares it. */
export function declareTrigger(trigger: Trigger): JsonObject {
  if (!isWebhookTrigger(trigger)) return trigger.declared;
  const { provider, event, webhookIds, webhooks, payload } = trigger;
  const selected = { webhook_ids: webhookIds, webhooks };
  return { provider, event, filter: payload === null ? selected : { ...selected, payload } };
}

/** The triggers of an automation and their webhooks, all by UID or all by file name. */
export interface Listening<Webhook extends string = string> {
  triggers: readonly (Pick<WebhookTrigger, 'provider' | 'payload'> | Pick<ForeignTrigger, 'provider'>)[];
  /** For each trigger: the webhooks it listens to; empty for triggers of other providers. */
  listensTo: readonly (readonly Webhook[])[];
}

/**
 * The payload filters that decide whether a delivery to the webhook starts the automation: a match of any of them
 * suffices. A trigger without a filter has the filter `{}`, which matches everything. An empty list means that the
 * automation does not listen to the webhook. (Specification, "Webhook trigger".)
 *
 * @param webhook `null` takes the triggers of all webhooks together
 */
export function triggerFilters<Webhook extends string>(
  { triggers, listensTo }: Listening<Webhook>,
  webhook: Webhook | null,
): JsonObject[] {
  return triggers.flatMap((trigger, index) => {
    if (trigger.provider !== 'webhook' || !('payload' in trigger)) return [];
    const listens = webhook === null || listensTo[index]?.includes(webhook) === true;
    return listens ? [trigger.payload ?? {}] : [];
  });
}

/** The `triggerFilters` of each webhook that the automation listens to. */
export function triggerFiltersByWebhook<Webhook extends string>(
  automation: Listening<Webhook>,
): Map<Webhook, JsonObject[]> {
  const webhooks = new Set(automation.listensTo.flat());
  return new Map([...webhooks].map((webhook) => [webhook, triggerFilters(automation, webhook)]));
}
