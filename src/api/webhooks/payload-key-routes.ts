import type { FastifyInstance } from 'fastify';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import { formatPath } from '../../domain/words/payload-filters.ts';
import type { Inspector } from '../../reconcile/inspection/create-inspector.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { findWebhook } from './find-webhook.ts';

interface PayloadKeyRouteParts {
  inventory: InventoryReader;
  inspector: Pick<Inspector, 'collectKeys'>;
}

/** `GET …/webhooks/{uid}/payload-keys`: what a filter could ask of the payloads of this webhook. */
export function registerPayloadKeyRoutes(app: FastifyInstance, parts: PayloadKeyRouteParts): void {
  app.get(
    '/factories/:factory/webhooks/:uid/payload-keys',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags: ['Webhooks'],
        summary: 'List the keys of stored payloads, for the completion of filters',
        description: 'Keys of the 50 most recent stored payloads: at most 500, the most frequent first.',
        response: { 200: refTo('PayloadKeys') },
      },
    },
    async (request) => {
      const { uid } = await findWebhook(parts.inventory, request);
      const { examined, keys } = await parts.inspector.collectKeys(uid);
      const presented = keys.map(({ path, ...more }) => ({ path, text: formatPath(path), ...more }));
      return { webhook_uid: uid, examined, keys: presented };
    },
  );
}
