import type { Webhook } from '../../client/api-types.ts';
import type { ApiClient } from '../../client/create-api-client.ts';
import type { CliContext } from '../context.ts';

/** What one request sends, without its credential. */
export interface Message {
  body: Uint8Array;
  headers: Readonly<Record<string, string>>;
  deliveryId: string | null;
}

/** Asks the daemon to post a delivery to its own ingress, signed with the stored secret, which never leaves the daemon. */
export function postTestDelivery(
  api: ApiClient,
  webhook: Webhook,
  { body, headers: given, deliveryId }: Message,
  headers: { 'idempotency-key'?: string } = {},
) {
  return api.POST('/api/v1/factories/{factory}/webhooks/{uid}/test-deliveries', {
    params: { path: webhook },
    body: {
      payload_base64: Buffer.from(body).toString('base64'),
      ...(Object.keys(given).length === 0 ? {} : { headers: given }),
      ...(deliveryId === null ? {} : { delivery_id: deliveryId }),
    },
    headers,
  });
}

/** A new body each time, because an identical body is a duplicate if nothing else identifies the delivery. */
export function createDefaultBody({ newId, clock }: Pick<CliContext, 'newId' | 'clock'>): Uint8Array {
  const event = { event: 'test', id: newId(), sent_at: new Date(clock.wallMs()).toISOString() };
  return Buffer.from(JSON.stringify(event));
}
