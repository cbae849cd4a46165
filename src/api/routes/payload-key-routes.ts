import type { FastifyInstance } from 'fastify';
import type { WebhookUid } from '../../core/ids.ts';
import { KeyCollection } from '../../filter/collect-keys.ts';
import { formatPath } from '../../filter/format-path.ts';
import { requireRole } from '../access-rules.ts';
import { refTo } from '../schemas.ts';
import type { AdminServices } from '../services.ts';
import { findWebhook } from './find-webhook.ts';

const MAX_PAYLOADS = 50;
/** Parsed and walked between two turns of the event loop: a few milliseconds. */
const BYTES_A_PIECE = 262_144;

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
      const { examined, collection } = await collectKeys(services, uid);
      const keys = collection.list().map(({ path, ...more }) => ({ path, text: formatPath(path), ...more }));
      return { webhook_uid: uid, examined, keys };
    },
  );
}

async function collectKeys({ storedPayloads }: AdminServices, webhook: WebhookUid) {
  const newest = await storedPayloads.keys({ webhook, since: 0, before: null, limit: MAX_PAYLOADS });
  const collection = new KeyCollection();
  let examined = 0;
  for (let at = 0; at < newest.length; ) {
    const { taken, payloads } = await storedPayloads.read(newest.slice(at), BYTES_A_PIECE);
    at += taken;
    examined += payloads.length;
    for (const { body } of payloads) collection.add(JSON.parse(Buffer.from(body).toString('utf8')));
  }
  return { examined, collection };
}
