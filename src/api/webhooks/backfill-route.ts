import type { FastifyInstance } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { BackfillControl } from '../../domain/ports/delivery-control.ts';
import type { DeliveryReader } from '../../domain/ports/delivery-log.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { findLiveWebhook } from './find-webhook.ts';

interface BackfillRouteParts {
  inventory: InventoryReader;
  deliveries: Pick<DeliveryReader, 'list'>;
  backfill: BackfillControl;
}

interface BackfillBody {
  delivery_id: string;
  headers: Record<string, string>;
  payload: string;
}

const MAX_HEADERS = 100;
const MAX_HEADER_LENGTH = 8192;

const bodySchema = {
  type: 'object',
  required: ['delivery_id', 'headers', 'payload'],
  additionalProperties: false,
  properties: {
    delivery_id: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x20-\\x7e]*$',
      description: 'The delivery ID of the sender.',
    },
    headers: {
      type: 'object',
      maxProperties: MAX_HEADERS,
      additionalProperties: { type: 'string', maxLength: MAX_HEADER_LENGTH },
      description: 'The headers of the original request, with its signature. Headers of the connection are ignored.',
    },
    payload: { type: 'string', minLength: 1, description: 'The payload as JSON.' },
  },
};

/** A delivery that the daemon missed, from the API of its provider. */
export function registerBackfill(app: FastifyInstance, parts: BackfillRouteParts): void {
  app.post<{ Body: BackfillBody }>(
    '/factories/:factory/webhooks/:uid/backfills',
    {
      config: { access: requireRole('operator', 'factory'), idempotent: true },
      schema: {
        tags: ['Webhooks'],
        summary: 'Post a delivery that the daemon missed',
        description:
          'For deliveries from the API of their provider. The daemon posts the delivery to its own ingress, with the original delivery ID, so that a delivery that was accepted before is a duplicate. It posts the original signature if that fits the payload. Otherwise it signs the request with the webhook’s secret. The log marks the delivery with the reason `backfilled` or `backfilled_signed_again`.',
        body: bodySchema,
        response: { 200: refTo('BackfillAnswer'), 409: refTo('Problem'), 502: refTo('Problem') },
      },
    },
    async (request) => {
      const webhook = await findLiveWebhook(parts.inventory, request);
      const { delivery_id: deliveryId, headers, payload } = request.body;
      requireJson(payload);
      const { status, retryAfter, reason } = await parts.backfill.post(webhook, { deliveryId, headers, payload });
      const search = { webhookUid: webhook.uid, label: null, identity: deliveryId, limit: 1, cursor: null };
      const [logged] = (await parts.deliveries.list(search)).data;
      request.auditResult = { status, reason };
      return {
        status,
        retry_after: retryAfter,
        signature: reason === 'backfilled' ? 'original' : 'new',
        delivery: logged?.id ?? null,
        label: logged?.label ?? null,
      };
    },
  );
}

function requireJson(text: string): void {
  try {
    JSON.parse(text);
  } catch {
    throw new AppError('bad_request', '"payload" is not valid JSON.');
  }
}
