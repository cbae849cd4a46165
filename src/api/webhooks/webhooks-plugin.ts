import type { FastifyInstance } from 'fastify';
import { type BackfillRouteParts, registerBackfill } from './backfill-route.ts';
import { type ConnectionRouteParts, registerConnectionRoutes } from './connection-routes.ts';
import { type PayloadKeyRouteParts, registerPayloadKeyRoutes } from './payload-key-routes.ts';
import { registerWebhookEditRoutes, type WebhookEditRouteParts } from './webhook-edit-routes.ts';
import { registerWebhookRoutes, type WebhookRouteParts } from './webhook-routes.ts';

type WebhooksParts = WebhookRouteParts &
  BackfillRouteParts &
  WebhookEditRouteParts &
  PayloadKeyRouteParts &
  ConnectionRouteParts;

/** Webhooks: reads, edits, test deliveries, capture windows, backfills, webhooks at providers. */
export function webhooksPlugin(app: FastifyInstance, parts: WebhooksParts): void {
  registerWebhookRoutes(app, parts);
  registerWebhookEditRoutes(app, parts);
  registerPayloadKeyRoutes(app, parts);
  registerBackfill(app, parts);
  registerConnectionRoutes(app, parts);
}
