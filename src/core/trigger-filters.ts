import type { ForeignTrigger, WebhookTrigger } from './definition.ts';
import type { JsonObject } from './json.ts';

/** What an automation listens to. Webhooks are named by UID, or all of them by file name. */
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
