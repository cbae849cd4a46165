import type { Delivery, Webhook } from '../../../client/api-types.ts';

/** The credential of these deliveries was accepted. */
const AUTHENTICATED: readonly Delivery['label'][] = ['Accepted', 'Duplicate', 'Rejected (invalid JSON)'];

/**
 * The same webhooks after some deliveries: the last accepted one, and the failed credentials since then. The objects of
 * unchanged webhooks are kept.
 */
export function noteTraffic(webhooks: Webhook[], deliveries: readonly Delivery[]): Webhook[] {
  const inOrder = [...deliveries].sort((one, other) => (one.received_at < other.received_at ? -1 : 1));
  return webhooks.map((webhook) =>
    inOrder
      .filter(({ webhook_uid, replay_of }) => webhook_uid === webhook.uid && replay_of === null)
      .reduce(note, webhook),
  );
}

function note(webhook: Webhook, delivery: Delivery): Webhook {
  const { traffic } = webhook;
  const { label, received_at } = delivery;
  if (received_at <= (traffic.last_accepted_at ?? '')) return webhook;
  if (label === 'Rejected (auth)') return noteFailure(webhook, delivery);
  if (!AUTHENTICATED.includes(label)) return webhook;
  const last_accepted_at = label === 'Accepted' ? received_at : traffic.last_accepted_at;
  if (last_accepted_at === traffic.last_accepted_at && traffic.credential_failing === null) return webhook;
  return {
    ...webhook,
    last_delivery_at: last_accepted_at,
    traffic: { ...traffic, last_accepted_at, credential_failing: null },
  };
}

function noteFailure(webhook: Webhook, { received_at, count, reason, reason_text }: Delivery): Webhook {
  const { credential_failing: before } = webhook.traffic;
  if (before !== null && received_at <= before.last_at) return webhook;
  const { since, count: counted } = before ?? { since: received_at, count: 0 };
  const credential_failing = { since, last_at: received_at, count: counted + count, reason, reason_text };
  return { ...webhook, traffic: { ...webhook.traffic, credential_failing } };
}
