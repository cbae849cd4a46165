import { isWebhookTrigger, type Trigger } from './definition.ts';
import type { Json, JsonObject } from './json.ts';

/** A trigger as its file writes it; where it stands in the file is no part of what it says. */
export function declareTrigger(trigger: Trigger): JsonObject {
  if (!isWebhookTrigger(trigger)) return trigger.declared;
  const { provider, event, webhookIds, webhooks, payload } = trigger;
  const filter: { [key: string]: Json } = { webhook_ids: webhookIds, webhooks };
  return { provider, event, filter: payload === null ? filter : { ...filter, payload } };
}
