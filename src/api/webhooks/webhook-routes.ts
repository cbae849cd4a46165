import type { FastifyInstance } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { CaptureControl } from '../../domain/ports/delivery-control.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import { tagWebhook } from '../../reconcile/edit/entity-tag.ts';
import { listOf, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { type PageQuery, pageOf, presentPage, shortListQuerySchema } from '../server/page-query.ts';
import { factoryOf } from '../server/reach.ts';
import { findLiveWebhook, findWebhook } from './find-webhook.ts';
import { presentUnlogged, type UnloggedParts } from './present-unlogged.ts';
import { presentCapture, presentWebhook, type WebhookSurroundings } from './present-webhook.ts';
import type { SendTestDelivery } from './send-test-delivery.ts';

interface WebhookRouteParts extends UnloggedParts {
  inventory: InventoryReader;
  captures: CaptureControl;
  surroundings: WebhookSurroundings;
  sendTestDelivery: SendTestDelivery;
}

const tags = ['Webhooks'];

/** Reads of webhooks, and the delivery that a person sends to try one. */
export function registerWebhookRoutes(app: FastifyInstance, parts: WebhookRouteParts): void {
  registerWebhookList(app, parts);

  app.get(
    '/factories/:factory/webhooks/:uid',
    {
      config: { access: requireRole('viewer', 'factory'), tagged: true },
      schema: {
        tags,
        summary: 'Show a webhook',
        description: 'A deleted webhook can still be read by its UID; `deleted_at` is set then.',
        response: { 200: refTo('Webhook') },
      },
    },
    async (request, reply) => {
      const webhook = await findWebhook(parts.inventory, request);
      void reply.header('etag', tagWebhook(webhook));
      const requests = await parts.surroundings.countRequests(webhook.factory);
      return {
        ...presentWebhook(webhook, requests, parts.surroundings),
        unlogged_requests: await presentUnlogged(parts, webhook.uid),
      };
    },
  );

  registerTestDelivery(app, parts);
  registerCapture(app, parts);
}

interface WebhookListQuery extends PageQuery {
  deleted?: boolean;
}

function registerWebhookList(app: FastifyInstance, { inventory, surroundings }: WebhookRouteParts): void {
  app.get<{ Querystring: WebhookListQuery }>(
    '/factories/:factory/webhooks',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags,
        summary: 'List webhooks',
        querystring: shortListQuerySchema({
          deleted: {
            type: 'boolean',
            default: false,
            description: 'List the deleted webhooks instead. `commit` is the commit that deleted each.',
          },
        }),
        response: { 200: listOf('Webhook') },
      },
    },
    async (request) => {
      const { name: factory } = factoryOf(request);
      // Only names of webhooks that exist are unique.
      const page = request.query.deleted
        ? pageOf(await inventory.deletedWebhooks(factory), request.query, ({ name, uid }) => `${name}/${uid}`)
        : pageOf(await inventory.webhooks(factory), request.query, ({ name }) => name);
      const requests = await surroundings.countRequests(factory);
      return presentPage(page, (webhook) => presentWebhook(webhook, requests, surroundings));
    },
  );
}

interface TestDeliveryBody {
  payload_base64: string;
  delivery_id?: string;
  headers?: Record<string, string>;
}

const MAX_HEADERS = 100;
const MAX_HEADER_LENGTH = 8192;

const testDeliverySchema = {
  type: 'object',
  required: ['payload_base64'],
  additionalProperties: false,
  properties: {
    payload_base64: {
      type: 'string',
      pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
      description: 'The exact bytes of the body in base64.',
    },
    delivery_id: {
      type: 'string',
      minLength: 1,
      maxLength: 1024,
      pattern: '^[\\x20-\\x7e]*$',
      description: 'Delivery ID to send in the header that identifies deliveries. If omitted, it is generated.',
    },
    headers: {
      type: 'object',
      maxProperties: MAX_HEADERS,
      additionalProperties: { type: 'string', maxLength: MAX_HEADER_LENGTH },
      description:
        'Further request headers, such as the name of the event. Headers of the connection and headers with credentials cause 400.',
    },
  },
};

function registerTestDelivery(app: FastifyInstance, parts: WebhookRouteParts): void {
  app.post<{ Body: TestDeliveryBody }>(
    '/factories/:factory/webhooks/:uid/test-deliveries',
    {
      config: { access: requireRole('operator', 'factory'), idempotent: true },
      schema: {
        tags,
        summary: 'Send a delivery like a real sender',
        description: 'The daemon posts to its own ingress with the webhook’s credential, which never leaves the store.',
        body: testDeliverySchema,
        response: { 200: refTo('TestDeliveryAnswer'), 409: refTo('Problem'), 502: refTo('Problem') },
      },
    },
    async (request) => {
      const webhook = await findLiveWebhook(parts.inventory, request);
      const { payload_base64: payload, delivery_id: deliveryId = null, headers = {} } = request.body;
      const body = new Uint8Array(Buffer.from(payload, 'base64'));
      const answer = await parts.sendTestDelivery(webhook, { body, deliveryId, headers });
      return { status: answer.status, headers: answer.headers, body: answer.body };
    },
  );
}

const captureSchema = {
  type: 'object',
  required: ['for_seconds'],
  additionalProperties: false,
  properties: {
    for_seconds: { type: 'integer', minimum: 1, maximum: 3600, description: 'How long the window stays open.' },
  },
};

function registerCapture(app: FastifyInstance, parts: WebhookRouteParts): void {
  const access = requireRole('owner', 'factory');

  app.post<{ Body: { for_seconds: number } }>(
    '/factories/:factory/webhooks/:uid/capture',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Store rejected requests for a diagnosis, for a limited time',
        description:
          'The 20 most recent, at most 1 MiB, in memory only. They are deleted with the window or at a restart. No route returns them.',
        body: captureSchema,
        response: { 200: refTo('Capture'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const webhook = await findLiveWebhook(parts.inventory, request);
      if (webhook.authMode === 'url_token') {
        const why = 'a token in the URL is right or wrong, and nothing else of the request matters';
        throw new AppError('conflict', `There is nothing to capture for ${webhook.name}: ${why}.`);
      }
      return presentCapture(parts.captures.open(webhook.uid, request.body.for_seconds * 1000));
    },
  );

  app.delete(
    '/factories/:factory/webhooks/:uid/capture',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Close the capture window and drop what it kept',
        response: { 204: { type: 'null', description: 'Closed, also if none was open.' } },
      },
    },
    async (request, reply) => {
      parts.captures.close((await findWebhook(parts.inventory, request)).uid);
      return reply.code(204).send();
    },
  );
}
