import { AppError } from '../../domain/errors.ts';
import type { IdSource } from '../../domain/ids.ts';
import type { WebhookView } from '../../domain/ports/inventory.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { buildSenderRequest } from '../../ingress/sender/build-request.ts';
import { postDelivery } from '../../ingress/sender/post-delivery.ts';

/** What the ingress answered to a test delivery. Header names are lowercase. */
interface TestDeliveryAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What a test delivery sends. */
interface TestDelivery {
  body: Uint8Array;
  /** `null`: no delivery ID header is sent. */
  deliveryId: string | null;
  /** Further request headers. */
  headers: Readonly<Record<string, string>>;
}

export type SendTestDelivery = (webhook: WebhookView, delivery: TestDelivery) => Promise<TestDeliveryAnswer>;

interface TestDeliveryParts {
  secrets: Pick<SecretStore, 'open'>;
  clock: Pick<Clock, 'wallMs'>;
  ids: IdSource;
  /** Where the ingress listens. */
  ingressUrl(): string;
  /** Where senders reach it. */
  baseUrl(): string;
}

/** Posts to the ingress of this daemon as a real sender does, so that no secret has to leave the store for a test. */
export function createTestDeliverySender({
  secrets,
  clock,
  ids,
  ingressUrl,
  baseUrl,
}: TestDeliveryParts): SendTestDelivery {
  return async (webhook, delivery) => {
    const secret = await secrets.open(webhook.secretName, webhook.secretVersion);
    if (secret === null) throw new AppError('conflict', `The secret of the webhook ${webhook.name} no longer exists.`);
    const path = `/webhooks/w/${webhook.uid}`;
    const url = `${ingressUrl()}${path}`;
    const target = {
      ...webhook,
      publicUrl: `${baseUrl()}${path}`,
      ingressUrl: webhook.authMode === 'url_token' ? `${url}/{token}` : url,
    };
    const newId = () => ids.deliveryId(clock.wallMs());
    return postDelivery(buildSenderRequest(target, secret.reveal(), { ...delivery, nowMs: clock.wallMs(), newId }));
  };
}
