import type { Automation, Webhook } from '../../../api/types.ts';

type Trigger = Automation['triggers'][number];

/** A trigger in words, for lists. */
export function describeTrigger(trigger: Trigger, webhooks: readonly Webhook[]): string {
  if (trigger.handled_elsewhere) return `${trigger.provider}: handled elsewhere`;
  const names = nameWebhooks(trigger.listens_to, webhooks);
  const from = names.length === 0 ? 'no webhook' : names.join(', ');
  return `Webhook received from ${from}${trigger.filter.payload === null ? '' : ', filtered'}`;
}

/** @returns the names of webhooks; the UID of one that is gone */
export function nameWebhooks(uids: readonly string[], webhooks: readonly Webhook[]): string[] {
  return uids.map((uid) => webhooks.find((webhook) => webhook.uid === uid)?.name ?? uid);
}
