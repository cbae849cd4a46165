import type { FastifyInstance } from 'fastify';
import { formatPath } from '../../filter/payload-path.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import type { AdminServices } from '../services.ts';
import { findWebhook } from './find-webhook.ts';

/** `GET …/webhooks/{uid}/payload-keys`: what a filter could ask of the payloads of this webhook. */
export function registerPayloadKeyRoutes(app: FastifyInstance, services: AdminServices): void {
  app.get(
    '/factories/:factory/webhooks/:uid/payload-keys',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags: ['Webhooks'],
        summary: 'List the keys of stored payloads, for the completion of filters',
        description: 'Of the newest 50 stored payloads; at most 500 keys, those of most payloads first.',
        response: { 200: refTo('PayloadKeys') },
      },
    },
    async (request) => {
      const { uid } = await findWebhook(services.inventory, request);
      const { examined, keys } = await services.inspector.collectKeys(uid);
      const presented = keys.map(({ path, ...more }) => ({ path, text: formatPath(path), ...more }));
      return { webhook_uid: uid, examined, keys: presented };
    },
  );
}
