import type { TestDeliveryAnswer } from '../api/services.ts';
import { AppError } from '../core/errors.ts';
import type { WebhookView } from '../core/ports/definitions/inventory.ts';
import { buildSenderRequest } from '../sender/build-request.ts';
import { postDelivery } from '../sender/post-delivery.ts';
import type { Foundation } from './open-foundation.ts';

/**
 * Posts to the ingress of this daemon as a real sender would, so that no secret has to leave the store for a test.
 *
 * @param ingressUrl where the ingress listens
 * @param deliveryId `null`: no delivery ID header is sent
 */
export async function sendTestDelivery(
  { config, secrets, clock, ids }: Pick<Foundation, 'config' | 'secrets' | 'clock' | 'ids'>,
  ingressUrl: string,
  webhook: WebhookView,
  body: Uint8Array,
  deliveryId: string | null,
): Promise<TestDeliveryAnswer> {
  const secret = await secrets.open(webhook.secretName, webhook.secretVersion);
  if (secret === null) throw new AppError('conflict', `the secret of the webhook ${webhook.name} is gone`);
  const path = `/webhooks/w/${webhook.uid}`;
  const url = `${ingressUrl}${path}`;
  const publicUrl = `${config.baseUrl ?? ingressUrl}${path}`;
  const request = buildSenderRequest(
    { ...webhook, publicUrl, ingressUrl: webhook.authMode === 'url_token' ? `${url}/{token}` : url },
    secret.reveal(),
    { body, deliveryId, nowMs: clock.wallMs(), newId: () => ids.deliveryId(clock.wallMs()) },
  );
  return postDelivery(request);
}
