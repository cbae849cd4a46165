import type { WebhookView } from '../../domain/ports/definitions/inventory.ts';
import { presentFields } from '../../domain/resources/fields.ts';
import { WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';
import type { SecretValue } from '../../domain/secret-value.ts';
import { buildTokenCurl, renderCurl } from '../../domain/words/sending-commands.ts';
import { buildSenderRequest, type SenderRequest } from '../../ingress/sender/build-request.ts';
import type { DemoDelivery } from './demo-factories.ts';

/** Marks the place in a signed request where the shell inserts a new delivery ID. */
const ID_PLACEHOLDER = 'demo-id';

/** A delivery to a webhook of the demo, and its credential. */
export interface DemoRequest {
  webhook: WebhookView;
  ingressUrl: string;
  secret: SecretValue;
  delivery: DemoDelivery;
  /** Wall time in milliseconds, for signatures. */
  nowMs: number;
}

/** One line to paste into a shell: it sends the delivery, with the credential. */
export function renderDemoCurl({ webhook, delivery, secret, ...request }: DemoRequest): string {
  if (webhook.authMode === 'signature') {
    return renderSigned(signDelivery({ webhook, delivery, secret, ...request }, ID_PLACEHOLDER));
  }
  const url = urlOf(webhook, request.ingressUrl);
  const target = {
    ...presentFields(WEBHOOK_FIELDS, webhook),
    ingress_url: webhook.authMode === 'url_token' ? `${url}/{token}` : url,
  };
  return buildTokenCurl(target, secret.reveal(), JSON.stringify(delivery.body));
}

/** The request to a webhook with a signature. */
export function signDelivery(
  { webhook, ingressUrl, secret, delivery: { headers = {}, body }, nowMs }: DemoRequest,
  deliveryId: string,
): SenderRequest {
  const target = { ...webhook, ingressUrl: urlOf(webhook, ingressUrl) };
  const delivery = { headers, body: Buffer.from(JSON.stringify(body)), deliveryId, nowMs, newId: () => deliveryId };
  return buildSenderRequest(target, secret.reveal(), delivery);
}

function urlOf({ uid }: WebhookView, ingressUrl: string): string {
  return `${ingressUrl}/webhooks/w/${uid}`;
}

function renderSigned({ url, headers, body }: SenderRequest): string {
  const values = Object.entries(headers).map(
    ([name, value]) => [name, value === ID_PLACEHOLDER ? { kind: 'new-id' as const } : value] as const,
  );
  return renderCurl({ url, headers: values, body: Buffer.from(body).toString('utf8') });
}
