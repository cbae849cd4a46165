import type { Delivery, Webhook } from '../../../client/api-types.ts';

/** The same webhooks with the time of their last delivery. The objects of unchanged webhooks are kept. */
export function noteLastDeliveries(webhooks: Webhook[], deliveries: readonly Delivery[]): Webhook[] {
  const lastAt = new Map<string, string>();
  for (const { webhook_uid, received_at } of deliveries) {
    if (received_at > (lastAt.get(webhook_uid) ?? '')) lastAt.set(webhook_uid, received_at);
  }
  return webhooks.map((webhook) => {
    const at = lastAt.get(webhook.uid) ?? '';
    return at > (webhook.last_delivery_at ?? '') ? { ...webhook, last_delivery_at: at } : webhook;
  });
}
